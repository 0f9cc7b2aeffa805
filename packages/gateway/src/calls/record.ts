/** The last stage: every call and every denial goes to the record log, off the request path. */
import type { CallRecord, Observer } from '@parley/kit';
import type { PendingDetail, Store } from '@parley/store';

/** What is kept of what went in and came out, made when the record is written; undefined: nothing. */
export type DetailOf = (call: CallRecord) => PendingDetail | undefined;

/** Writes records to the store's log. */
export function recordTo(store: Store, detailOf: DetailOf = () => undefined): Observer {
  return (call: CallRecord) => {
    const { caller, method, name, toolset, outcome, code, durationMs, info, body } = call;
    const record = {
      at: Date.now(),
      organizationId: caller.organizationId,
      callerId: caller.id,
      userId: caller.userId,
      source: caller.source,
      toolset,
      tool: name,
      method,
      effect: body?.tool.effect ?? null,
      outcome,
      code,
      durationUs: Math.round(durationMs * 1000),
      // The revision says the era too; of the modern era there is one.
      era: info.protocolVersion ?? info.era,
      client: info.clientLabel ?? info.client,
      requestId: info.id,
      ...(info.virtualMcpId !== undefined && { virtualMcpId: info.virtualMcpId }),
    };
    store.records.append(record, detailOf(call));
  };
}
