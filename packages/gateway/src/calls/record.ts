/** The last stage: every call and every denial goes to the record log, off the request path. */
import type { CallRecord, Observer } from '@parley/kit';
import type { Store } from '@parley/store';

/** Writes records to the store's log. */
export function recordTo(store: Store): Observer {
  return ({ caller, method, name, toolset, outcome, code, durationMs, info }: CallRecord) => {
    store.records.append({
      at: Date.now(),
      organizationId: caller.organizationId,
      callerId: caller.id,
      source: caller.source,
      toolset,
      tool: name,
      method,
      outcome,
      code,
      durationUs: Math.round(durationMs * 1000),
      era: info.era,
      client: info.client,
      requestId: info.id,
    });
  };
}
