// What a run waits for: one form for all of it, since all is answered together.

let count = 0;

function element(tag, className, text) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  if (tag !== "input") made.dir = "auto";
  return made;
}

function field(into, label, input) {
  input.id = `asked-${(count += 1)}`;
  const name = element("label", "", label);
  name.htmlFor = input.id;
  into.append(name, input);
  return input;
}

function written(value, rows) {
  const area = element("textarea");
  area.rows = rows;
  area.value = value;
  area.addEventListener("input", () => area.setCustomValidity("")); // else it could not be sent any more
  return area;
}

/** The value that the text spells as JSON; the field says where it spells none. */
function parsed(area) {
  try {
    return JSON.parse(area.value);
  } catch (error) {
    area.setCustomValidity(`This is no JSON: ${error.message}`);
    area.reportValidity();
    throw error;
  }
}

function questions(box, asked) {
  const inputs = asked.detail.questions.map(({ question, choices }) => {
    const input = field(box, question, element("input"));
    input.required = true;
    input.autocomplete = "off";
    if (choices?.length) {
      const list = document.createElement("datalist");
      list.id = `${input.id}-choices`;
      list.append(...choices.map((choice) => Object.assign(document.createElement("option"), { value: choice })));
      input.setAttribute("list", list.id);
      box.append(list, element("p", "choices", choices.join(" · ")));
    }
    return input;
  });
  return () => ({ answers: inputs.map((input) => input.value) });
}

const PLAN = "request_plan_approval";

function approval(box, asked) {
  if (asked.tool === PLAN) {
    const steps = box.appendChild(document.createElement("ol"));
    steps.append(...(asked.detail.arguments?.steps ?? []).map((step) => element("li", "", step)));
  }
  if (asked.detail.sideEffect) box.append(element("p", "effect", asked.detail.sideEffect));
  if (asked.detail.reason) box.append(element("p", "why", asked.detail.reason));
  const before = JSON.stringify(asked.detail.arguments ?? {}, null, 2);
  const args = field(box, `${asked.tool || "Tool"}, to be called with`, written(before, Math.min(12, before.split("\n").length)));
  const comment = field(box, "Comment", element("input"));
  const choice = field(box, "Your decision", document.createElement("select"));
  for (const [value, text] of [["", "Decide…"], ["yes", "Allow it"], ["no", "Do not allow it"]]) choice.append(new Option(text, value));
  choice.required = true;
  return () => {
    const payload = { approved: choice.value === "yes" };
    if (payload.approved && args.value !== before) payload.arguments = parsed(args);
    if (comment.value.trim()) payload.comment = comment.value.trim();
    return payload;
  };
}

function anything(box, asked) {
  const area = field(box, "Your answer, as JSON", written("", 3));
  if (asked.responseSchema) box.append(element("pre", "choices", JSON.stringify(asked.responseSchema)));
  return () => parsed(area);
}

/** As an event or the list of open ones has it. */
function read(interrupt) {
  const own = interrupt.detail || interrupt.metadata?.callsheet || {};
  return { ...interrupt, detail: own, tool: interrupt.tool || own.tool };
}

/** The form; `answer` is handed the entries of `resume` once somebody has decided. */
export function askingForm(interrupts, answer) {
  const form = element("form", "asking");
  const payloads = interrupts.map(read).map((asked) => {
    const box = document.createElement("fieldset");
    const label = asked.detail.label?.en;
    const permission = label ? `A permission: ${label}` : "A permission";
    box.append(element("legend", "", asked.tool === PLAN ? "A plan" : asked.reason === "approval" ? permission : "A question"));
    form.append(box);
    const kind = asked.reason === "approval" ? approval : asked.detail.questions ? questions : anything;
    if (kind !== questions) box.append(element("p", "", asked.message)); // each of them has its label
    return { id: asked.id, payload: kind(box, asked) };
  });
  const send = element("button", "", "Answer");
  send.type = "submit";
  const rather = element("button", "", "Rather not say");
  rather.type = "button";
  form.append(send, rather);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    try {
      answer(payloads.map(({ id, payload }) => ({ interruptId: id, status: "resolved", payload: payload() })));
    } catch {
      // the field says what is wrong with it
    }
  });
  rather.addEventListener("click", () => answer(payloads.map(({ id }) => ({ interruptId: id, status: "cancelled" }))));
  return form;
}
