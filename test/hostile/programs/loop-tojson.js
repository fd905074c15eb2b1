// ends: timeout
// A toJSON that never answers.
return { toJSON() { for (;;); } };
