// What a run has spent, by stage and agent, as a table: the activity `callsheet.cost`.

import { billed, money } from "./cost.js";

const COLUMNS = ["", "calls", "input", "output", "cost"];

function row(name, sums, hasCost, kind) {
  const line = document.createElement("tr");
  line.className = kind;
  const head = document.createElement("th");
  head.scope = "row";
  head.textContent = name;
  const cells = [sums.calls, sums.inputTokens, sums.outputTokens, ...(hasCost ? [money(sums.cost, "", sums.unpriced)] : [])].map((value) => {
    const cell = document.createElement("td");
    cell.textContent = value;
    return cell;
  });
  if (sums.estimated) cells.at(-1).append(" (estimated)");
  line.append(head, ...cells);
  return line;
}

/** Fills the table anew: the activity always tells all. */
export function fillTable(table, content) {
  const hasCost = content.total.cost !== undefined;
  const head = document.createElement("tr");
  for (const name of hasCost ? COLUMNS : COLUMNS.slice(0, -1)) {
    const cell = document.createElement("th");
    cell.scope = "col";
    cell.textContent = name === "cost" ? `cost, ${content.currency}` : name;
    head.append(cell);
  }
  const rows = [head];
  for (const stage of content.stages) {
    rows.push(row(stage.stage, stage, hasCost, "of-stage"));
    for (const agent of stage.agents) rows.push(row(agent.label || agent.agent, agent, hasCost, "of-agent"));
  }
  table.replaceChildren(...rows, row("all", content.total, hasCost, "of-all"));
  table.hidden = false;
}

/** Each stage's name and what it cost, or its tokens where money is not shown. */
export function stageBills(content) {
  return content.stages.map((stage) => [
    stage.stage, stage.cost === undefined ? billed(stage) : money(stage.cost, content.currency, stage.unpriced),
  ]);
}
