/** Thrown where a program does something that the reader does not follow. The program is then known by its text alone. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';
}
