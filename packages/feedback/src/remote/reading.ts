/** Data of another server as tools answer it: unknown fields pass, what is missing is null, the rest must fit. */
import * as z from 'zod';
import type { ShownPage, ShownThread } from '../tools/shapes.ts';
import { ShownComment, turnTree } from '../tools/shapes.ts';
import type { Envelope } from './client.ts';
import { fieldOf } from './faults.ts';
import { told } from './names.ts';

const OTHER_FORM = 'its fields are not those of this API';

/** The thing in an answer. */
export function thingIn<Shape extends z.ZodObject>(shape: Shape, answer: Envelope): z.infer<Shape> {
  if (typeof fieldOf(answer.data, 'id') !== 'string') throw answer.unreadable('it has no id');
  return fitted(shape, answer);
}

/** Data that has no id of its own. */
export function dataIn<Shape extends z.ZodType>(shape: Shape, answer: Envelope): z.infer<Shape> {
  return fitted(shape, { ...answer, data: answer.data ?? {} });
}

/** The items of an answer. */
export function itemsIn<Shape extends z.ZodObject>(shape: Shape, answer: Envelope): z.infer<Shape>[] {
  return listIn(answer).map((data) => thingIn(shape, { ...answer, data }));
}

/** One page with where it ended; a server that does not tell, or not how to go on, has no more. */
export function pageIn<Shape extends z.ZodObject>(shape: Shape, answer: Envelope): ShownPage<z.infer<Shape>> {
  const cursor = fieldOf(answer.pagination, 'cursor');
  const total = fieldOf(answer.pagination, 'total');
  const isMore =
    fieldOf(answer.pagination, 'hasMore') === true && typeof cursor === 'string' && cursor !== '';
  return {
    items: itemsIn(shape, answer),
    nextCursor: isMore ? cursor : null,
    hasMore: isMore,
    total: Number.isSafeInteger(total) ? Number(total) : null,
  };
}

/** The comments of a post. */
export function threadsIn(answer: Envelope): ShownThread[] {
  return turnTree(listIn(answer), (data) => thingIn(ShownComment, { ...answer, data }));
}

function listIn({ data, unreadable }: Envelope): readonly unknown[] {
  if (data === undefined) return [];
  if (!Array.isArray(data)) throw unreadable('it is no list');
  return data;
}

function fitted<Shape extends z.ZodType>(shape: Shape, { data, unreadable }: Envelope): z.infer<Shape> {
  const parsed = shape.safeParse(filled(shape, data));
  if (!parsed.success) throw unreadable(OTHER_FORM);
  return parsed.data;
}

/** Adds what stands under another name, and null for each field that a shape knows and the data lacks. */
function filled(shape: z.core.$ZodType, data: unknown): unknown {
  if (shape instanceof z.ZodNullable)
    return data === undefined || data === null ? null : filled(shape.unwrap(), data);
  if (shape instanceof z.ZodArray && Array.isArray(data))
    return data.map((item) => filled(shape.element, item));
  if (!(shape instanceof z.ZodObject) || typeof data !== 'object' || data === null) return data;
  const known = Object.entries<z.core.$ZodType>(shape.shape);
  const fields = known.map(([name, field]) => [name, filled(field, told(data, name))]);
  return { ...data, ...Object.fromEntries(fields) };
}
