// What tools show beside their results: a list of steps, files, sources. Only ever put in as text.

import { call } from "./server.js";

function put(into, tag, className, text) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== undefined) { made.textContent = text; made.dir = "auto"; }
  into.append(made);
  return made;
}

const STATES = { pending: "to do", running: "under way", completed: "done" };

/** The session's list as it stands; the conversation shows it once, in the turn that changed it last. */
export function showSteps(article, { title, status, items }) {
  document.querySelectorAll(".todo").forEach((old) => { old.hidden = true; });
  const box = article.querySelector(".todo");
  box.replaceChildren();
  box.hidden = status === "archived";
  const done = items.filter((item) => item.status === "completed").length;
  put(box, "b", "", `${title} (${done} of ${items.length})`);
  const list = put(box, "ol");
  for (const item of items) {
    const step = put(list, "li", "", item.label);
    step.dataset.state = item.status;
    put(step, "span", "unseen", `: ${STATES[item.status] ?? item.status}`);
  }
}

function sizeOf(bytes) {
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

/** With a key the browser cannot follow a link by itself: the file is fetched, then saved. */
async function save(path, name, showError) {
  try {
    const url = URL.createObjectURL(await (await call(path, undefined, "*/*")).blob());
    Object.assign(document.createElement("a"), { href: url, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(url), 60000);
  } catch (error) {
    showError(error.message);
  }
}

/** A file that a tool made, to be saved; the same one twice is shown once. */
export function showFile(article, { id, name, sizeBytes }, showError) {
  const list = article.querySelector(".files");
  if ([...list.children].some((item) => item.dataset.id === id)) return;
  list.hidden = false;
  const item = put(list, "li");
  item.dataset.id = id;
  const path = `v1/artifacts/${encodeURIComponent(id)}`;
  const link = put(item, "a", "", name);
  link.href = path;
  link.download = name.split("/").at(-1);
  link.addEventListener("click", (event) => {
    if (!sessionStorage.getItem("key")) return;
    event.preventDefault();
    save(path, link.download, showError);
  });
  put(item, "span", "spent", ` ${sizeOf(sizeBytes)}`);
}

/** A numbered source. Only an address of the web becomes a link. */
export function showSource(article, { number, url, title }) {
  const list = article.querySelector(".sources");
  list.hidden = false;
  const item = put(list, "li");
  item.value = number;
  const isWeb = /^https?:\/\//i.test(url);
  const name = put(item, isWeb ? "a" : "span", "", title || url);
  name.title = url;
  if (isWeb) Object.assign(name, { href: url, target: "_blank", rel: "noopener noreferrer" });
}

/** The sources of a run that tells them all at once. */
export function showSources(article, sources) {
  const list = article.querySelector(".sources");
  list.replaceChildren();
  list.hidden = true;
  for (const source of sources) showSource(article, source);
}
