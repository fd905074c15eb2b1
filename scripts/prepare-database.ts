// Makes the PGlite cluster that every first start copies: creating one takes seconds, copying it milliseconds.
import { prepareTemplate } from '../src/store/pglite/cluster.ts';

if (await prepareTemplate()) console.log('Prepared the database that first starts copy.');
