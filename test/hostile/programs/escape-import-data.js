// ends: denied
// A module given as its own text.
return (await import('data:text/javascript,export default 1')).default;
