// ends: timeout
// A getter that never answers, met while the result is written.
return { get value() { for (;;); } };
