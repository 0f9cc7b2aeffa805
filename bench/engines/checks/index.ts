/** The lines of the contract, in the order of the table. */
import type { Check } from './check.ts';
import { fairness, limits, version } from './order.ts';
import { fence, poison, takeover, transaction } from './safety.ts';
import { oneProcess, sqlite } from './shape.ts';
import { cancel, parked, question, retry } from './waiting.ts';

export const CHECKS: Readonly<Record<string, Check>> = {
  transaction,
  fence,
  takeover,
  cancel,
  limits,
  fairness,
  question,
  parked,
  retry,
  version,
  poison,
  sqlite,
  oneProcess,
};
