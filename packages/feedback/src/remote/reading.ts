/** Data of another server as tools answer it: unknown fields pass, what is missing is null, the rest must fit. */
import * as z from 'zod';
import type { ShownPage, ShownThread } from '../tools/shapes.ts';
import { ShownComment, turnTree } from '../tools/shapes.ts';
import type { Envelope } from './client.ts';
import { fieldOf, unexpected } from './faults.ts';

/** The thing in an answer; for an answer without a body only what `known` tells of it. */
export function thingIn<Shape extends z.ZodObject>(
  shape: Shape,
  answer: Envelope,
  known: Readonly<Record<string, unknown>> = {},
): z.infer<Shape> {
  if (answer === undefined) return fitted(shape, known);
  if (typeof fieldOf(answer.data, 'id') !== 'string') throw unexpected();
  return fitted(shape, answer.data);
}

/** Data that has no id of its own. */
export function dataIn<Shape extends z.ZodType>(shape: Shape, answer: Envelope): z.infer<Shape> {
  return fitted(shape, answer === undefined ? {} : answer.data);
}

/** The items of an answer. */
export function itemsIn<Shape extends z.ZodObject>(shape: Shape, answer: Envelope): z.infer<Shape>[] {
  if (answer === undefined) return [];
  if (!Array.isArray(answer.data)) throw unexpected();
  return answer.data.map((item) => thingIn(shape, { data: item, pagination: undefined }));
}

/** One page with where it ended; a server that does not tell has no more. */
export function pageIn<Shape extends z.ZodObject>(shape: Shape, answer: Envelope): ShownPage<z.infer<Shape>> {
  const cursor = fieldOf(answer?.pagination, 'cursor');
  const total = fieldOf(answer?.pagination, 'total');
  return {
    items: itemsIn(shape, answer),
    nextCursor: typeof cursor === 'string' ? cursor : null,
    hasMore: fieldOf(answer?.pagination, 'hasMore') === true,
    total: Number.isSafeInteger(total) ? Number(total) : null,
  };
}

/** The comments of a post. */
export function threadsIn(answer: Envelope): ShownThread[] {
  if (answer === undefined) return [];
  if (!Array.isArray(answer.data)) throw unexpected();
  return turnTree(answer.data, (node) => thingIn(ShownComment, { data: node, pagination: undefined }));
}

/** One comment with what is below it. */
export function threadIn(answer: Envelope): ShownThread {
  const [thread] = answer === undefined ? [] : threadsIn({ ...answer, data: [answer.data] });
  return thread ?? { ...fitted(ShownComment, {}), replies: [] };
}

function fitted<Shape extends z.ZodType>(shape: Shape, data: unknown): z.infer<Shape> {
  const parsed = shape.safeParse(filled(shape, data));
  if (!parsed.success) throw unexpected();
  return parsed.data;
}

/** Adds null for each field that a shape knows and the data lacks. */
function filled(shape: z.core.$ZodType, data: unknown): unknown {
  if (shape instanceof z.ZodNullable)
    return data === undefined || data === null ? null : filled(shape.unwrap(), data);
  if (shape instanceof z.ZodArray && Array.isArray(data))
    return data.map((item) => filled(shape.element, item));
  if (!(shape instanceof z.ZodObject) || typeof data !== 'object' || data === null) return data;
  const known = Object.entries<z.core.$ZodType>(shape.shape);
  const fields = known.map(([name, field]) => [name, filled(field, fieldOf(data, name))]);
  return { ...data, ...Object.fromEntries(fields) };
}
