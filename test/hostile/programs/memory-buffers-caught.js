// ends: timeout
// Buffers without end, with every refusal caught.
const held = [];
for (;;) { try { held.push(new Uint8Array(1_000_000).fill(1)); } catch {} }
