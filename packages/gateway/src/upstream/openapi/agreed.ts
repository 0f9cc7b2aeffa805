/** Whether a tool stands for the request that somebody agreed to. */
import type { ServedTool } from '@parley/connections';
import { definitionHash, isRequestOf, valueDigest } from '@parley/connections';
import type { BodyPlan, Plan, ServiceTool } from './service.ts';

/**
 * The digest of a request: all that the document says of it, besides the order in which it says so. The origin is no
 * part of it, since no document can choose that.
 */
export function requestDigest({ method, base, path, inputs, body, token }: Plan): string {
  const place = new URL(base).pathname;
  return valueDigest([method, place, path, inputs.toSorted(byProperty), inOrder(body), token]);
}

interface Named {
  readonly property: string;
}

function byProperty(left: Named, right: Named): number {
  return left.property < right.property ? -1 : 1;
}

function inOrder(body: BodyPlan | null): unknown {
  return body !== null && 'fields' in body
    ? { ...body, fields: [...body.fields].toSorted(byProperty) }
    : body;
}

/** Requests that were found to be those of a tool: to tell costs as much as a small call. */
const agreed = new WeakMap<ServedTool, WeakSet<Plan>>();

export function isAgreed(pinned: ServedTool, tool: ServiceTool | undefined): boolean {
  if (tool === undefined) return false;
  const { plan, definition } = tool;
  const known = agreed.get(pinned) ?? new WeakSet();
  if (known.has(plan)) return true;
  // Until the list is read again, pins from before hashes covered requests are of the definition alone.
  if (!isRequestOf(pinned, requestDigest(plan)) && definitionHash(definition) !== pinned.hash) return false;
  agreed.set(pinned, known.add(plan));
  return true;
}
