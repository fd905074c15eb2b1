-- Statistics are always asked for a scope, whose index finds the rows. The others cost a fifth of storing a call.
drop index tool_usage_tool;
drop index tool_usage_called_at;
