// What was spent, in words.

/** What all messages of a run used together, by the run's id. */
export function spentByRun(items) {
  const spent = new Map();
  for (const item of items) {
    const run = item.metadata.run_id;
    if (!run) continue;
    const before = spent.get(run) || { inputTokens: 0, outputTokens: 0, cost: 0 };
    spent.set(run, {
      inputTokens: before.inputTokens + item.inputTokens, outputTokens: before.outputTokens + item.outputTokens,
      cost: item.cost === undefined ? undefined : Number((before.cost + Number(item.cost)).toFixed(6)), currency: item.currency,
    });
  }
  return spent;
}

/** What of it has no price is in the cost as 0. A server may keep the money to itself: then there is no cost. */
export function money(cost, currency, unpriced) {
  if (cost === undefined) return "";
  const known = `${cost} ${currency || ""}`.trim();
  if (!unpriced) return known;
  return Number(cost) ? `${known} and what is unpriced` : "unpriced";
}

export function said(tokens, cost, currency, unpriced) {
  return [tokens ? `${tokens} tokens` : "", money(cost, currency, unpriced)].filter(Boolean).join(" · ");
}

/** The bill of a message or of several, as its END event, the list of messages or an activity has it. */
export function billed(bill, currency) {
  const text = said(bill.inputTokens + bill.outputTokens, bill.cost, bill.currency || currency, bill.unpriced);
  return bill.estimated && text ? `${text} (estimated)` : text;
}

/** What the run used, and what the text that is shown took of it. */
export function billOf(whole, own) {
  return own && whole && own !== whole ? `${whole} (this text: ${own})` : whole || own || "";
}
