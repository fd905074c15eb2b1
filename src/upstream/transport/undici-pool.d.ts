/** The pool without the rest of undici, which takes three times as long to load. */
declare module 'undici/lib/dispatcher/pool.js' {
  import { Pool } from 'undici';

  export default Pool;
}
