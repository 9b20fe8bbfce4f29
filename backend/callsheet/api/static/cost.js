// What was spent, in words.

/** What all messages of a run used together, by the run's id. */
export function spentByRun(items) {
  const spent = new Map();
  for (const item of items) {
    const run = item.metadata.run_id;
    if (!run) continue;
    const before = spent.get(run) || { inputTokens: 0, outputTokens: 0, cost: 0, currency: item.currency };
    spent.set(run, {
      ...before, inputTokens: before.inputTokens + item.inputTokens, outputTokens: before.outputTokens + item.outputTokens,
      cost: Number((before.cost + Number(item.cost)).toFixed(6)),
    });
  }
  return spent;
}

export function said(tokens, cost, currency) {
  return [tokens ? `${tokens} tokens` : "", cost === undefined ? "" : `${cost} ${currency || ""}`.trim()].filter(Boolean).join(" · ");
}
