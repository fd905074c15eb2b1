// ends: value "done"
// A million empty lines.
for (let i = 0; i < 1_000_000; i++) console.log('');
return 'done';
