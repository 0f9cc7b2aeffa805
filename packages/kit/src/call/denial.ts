/** The record of a denial: why something is not there for a caller, which only the log is told. */
import type { Guarded } from '../access/resolver.ts';
import { hiddenReason } from '../access/resolver.ts';
import type { Asked } from './call.ts';
import type { CallRecord } from './record.ts';

/** `item` is what was asked for, whoever may have it; undefined when nothing is called so. */
export function denialOf(
  item: Guarded | undefined,
  { caller, method, name, exchange }: Pick<Asked, 'caller' | 'method' | 'name' | 'exchange'>,
): CallRecord {
  const code = item === undefined ? 'unknown' : (hiddenReason(item, caller) ?? 'filtered');
  const toolset = item?.toolset ?? '';
  return { outcome: 'denied', code, toolset, caller, method, name, durationMs: 0, info: exchange.info };
}
