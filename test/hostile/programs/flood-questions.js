// ends: timeout
// Questions to the child without end.
for (;;) new URL('http://a.example/?b=c').searchParams.get('b');
