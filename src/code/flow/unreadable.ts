/** Thrown where the reader cannot follow a program. Its text alone then identifies the program. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';
}
