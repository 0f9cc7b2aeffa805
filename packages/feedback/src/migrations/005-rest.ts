/** What REST remembers: answers to repeated requests, and how often clients asked. */
import { createRestTables } from '@parley/http/rest';

/** Creates the tables behind `Idempotency-Key` and the rate limit. */
export const createRest = createRestTables('feedback');
