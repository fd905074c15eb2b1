// ends: cancelled
// cancel
// Computes in pieces, so that no turn is too long, and never ends.
for (;;) {
  const end = Date.now() + 20;
  while (Date.now() < end);
  await new Promise((resolve) => setTimeout(resolve, 0));
}
