// ends: timeout
// Answers after its deadline.
await new Promise((resolve) => setTimeout(resolve, 60_000));
return 'late';
