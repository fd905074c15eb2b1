// ends: value "done"
// Lines without measure: output is cut, the run goes on.
for (let i = 0; i < 10_000; i++) console.log('x'.repeat(10_000));
return 'done';
