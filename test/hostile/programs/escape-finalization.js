// ends: value "quiet"
// Finalizers and weak references run nothing outside.
new FinalizationRegistry(() => { for (;;); }).register({}, 1);
new WeakRef({}).deref();
return 'quiet';
