// ends: value true
// Well-known symbols as hooks on whatever the sandbox compares, converts or iterates.
let hit = 0;
for (const symbol of [Symbol.toPrimitive, Symbol.iterator, Symbol.hasInstance, Symbol.species, Symbol.toStringTag, Symbol.unscopables, Symbol.isConcatSpreadable]) {
  try { Object.defineProperty(Object.prototype, symbol, { configurable: true, get() { hit += 1; return undefined; } }); } catch {}
}
const back = await mcp.echo.back({ a: [1] });
return back.a[0] === 1 && hit >= 0;
