// ends: value 1
// Answers, then computes for ever: the answer stands, and the next run is not held up.
setTimeout(() => {}, 0);
Promise.resolve().then(() => {}).then(() => {}).then(() => {}).then(() => { for (;;); });
return 1;
