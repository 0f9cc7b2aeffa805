/** The HTTP request of a call: the plan of its tool filled with its arguments. */
import type { JsonObject } from './json.ts';
import { fieldOf } from './json.ts';
import type { Carried } from './credentials.ts';
import { filledPath, segmentsOf } from './path.ts';
import type { BodyPlan, Plan } from './service.ts';
import { BadArguments } from './service.ts';
import type { Pair } from './written.ts';
import { headerText, pairsOf, pathText } from './written.ts';

export interface ServiceRequest {
  readonly url: URL;
  readonly method: Plan['method'];
  readonly headers: Record<string, string>;
  readonly body: string | undefined;
}

/** Builds it; throws `BadArguments` for what no request can be made of. */
export function requestOf(
  plan: Plan,
  args: JsonObject,
  { headers: own, query: key }: Carried,
): ServiceRequest {
  const { base, path, inputs, method } = plan;
  const inPath = new Map<string, string>();
  const query: Pair[] = [];
  const headers: Record<string, string> = {};
  for (const input of inputs) {
    const value = fieldOf(args, input.property);
    if (input.place === 'path') {
      if (value === undefined || value === null)
        throw new BadArguments(`${input.property}: is a part of the path and must have a value.`);
      inPath.set(input.name, pathText(input, value));
    } else if (value === undefined) continue;
    else if (input.place === 'query') query.push(...onlyOwn(pairsOf(input, value), plan, input.name, key));
    else headers[input.name.toLowerCase()] = headerText(input, value);
  }
  const url = filledPath(base, segmentsOf(path), inPath);
  const pairs = query.map(({ name, value }) => `${name}=${value}`);
  if (key !== null) pairs.push(`${encodeURIComponent(key.name)}=${encodeURIComponent(key.value)}`);
  url.search = pairs.join('&');
  const body = plan.body === null ? undefined : bodyText(plan.body, args);
  return {
    url,
    method,
    headers: {
      accept: 'application/json, */*;q=0.5',
      ...headers,
      ...own,
      ...(body !== undefined && plan.body !== null && { 'content-type': typeOf(plan.body) }),
    },
    body,
  };
}

/** The fields of an object that stand beside other parameters must not take the name of one, or of the credential. */
function onlyOwn(pairs: Pair[], { inputs }: Plan, own: string, key: Carried['query']): Pair[] {
  const ofQuery = inputs.filter(({ place, name }) => place === 'query' && name !== own);
  const others = new Set(ofQuery.map(({ name }) => name));
  for (const { plainName } of pairs)
    if (plainName === key?.name || plainName === '_method' || others.has(plainName))
      throw new BadArguments(
        `${own}: must not hold ${plainName.slice(0, 60)}, which is a parameter of its own.`,
      );
  return pairs;
}

function typeOf(body: BodyPlan): string {
  return body.kind === 'form' ? 'application/x-www-form-urlencoded' : body.mediaType;
}

/** The body as it is sent; undefined when the arguments hold nothing of it. */
function bodyText(body: BodyPlan, args: JsonObject): string | undefined {
  if ('property' in body) {
    const value = fieldOf(args, body.property);
    if (value === undefined) return undefined;
    return body.kind === 'text' && typeof value === 'string' ? value : JSON.stringify(value);
  }
  if (body.kind === 'form') {
    const pairs = body.fields.flatMap((field) => {
      const value = fieldOf(args, field.property);
      return value === undefined ? [] : pairsOf(field, value);
    });
    return pairs.map(({ name, value }) => `${name}=${value}`).join('&');
  }
  const given = body.fields.flatMap(({ property, name }) => {
    const value = fieldOf(args, property);
    return value === undefined ? [] : [[name, value] as const];
  });
  return given.length === 0 && !body.isRequired ? undefined : JSON.stringify(Object.fromEntries(given));
}
