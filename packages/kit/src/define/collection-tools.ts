/** The five tools of a collection: list, get, create, update and delete. */
import * as z from 'zod';
import { ToolError } from '../call/errors.ts';
import { checkListQuery, listInput } from './collection-query.ts';
import type { Collection } from './collection.ts';
import { GivenId } from './given-id.ts';
import { defineToolFor } from './tool.ts';

/** The literal `collectionTools` takes. */
export interface CollectionSpec<
  Services,
  Name extends string,
  Entity extends z.ZodObject,
  Create extends z.ZodObject,
  Update extends z.ZodObject,
> {
  /** The middle of the tools' names: `THREADS` gives `COLLECTION_THREADS_LIST`. */
  readonly name: Name;
  /** As people read it, e.g. `Thread` and `Threads`. */
  readonly one: string;
  readonly many: string;
  readonly entity: Entity;
  readonly create: Create;
  readonly update: Update;
  of(services: Services): Collection<z.input<Entity>, z.output<Create>, z.output<Update>>;
}

/**
 * The tools of a collection whose `ctx.services` is of the given type. Take those that the collection offers.
 *
 * @example
 * const { list, get } = collectionTools<NoteServices>()({
 *   name: 'NOTES', one: 'Note', many: 'Notes', entity: Note, create: CreateNote, update: CreateNote.partial(),
 *   of: ({ notes }) => notes,
 * });
 */
export function collectionTools<Services>() {
  const defineTool = defineToolFor<Services>();
  return <
    const Name extends string,
    Entity extends z.ZodObject,
    Create extends z.ZodObject,
    Update extends z.ZodObject,
  >({
    name,
    one,
    many,
    entity,
    create,
    update,
    of,
  }: CollectionSpec<Services, Name, Entity, Create, Update>) => {
    const found = z.object({ item: entity.nullable() });
    const written = z.object({ item: entity });
    return {
      list: defineTool({
        name: `COLLECTION_${name}_LIST`,
        title: `List ${many}`,
        description: `Lists ${inSentence(many)}, filtered, ordered and paged.`,
        effect: 'read',
        input: listInput,
        output: z.object({ items: z.array(entity), totalCount: z.int(), hasMore: z.boolean() }),
        async run(query, { caller, services }) {
          const collection = of(services);
          checkListQuery(collection.fields, query);
          const { items, totalCount } = await collection.list(caller, query);
          return { items: [...items], totalCount, hasMore: query.offset + items.length < totalCount };
        },
      }),
      get: defineTool({
        name: `COLLECTION_${name}_GET`,
        title: `Get ${one}`,
        description: `Gets one ${inSentence(one)}; item is null when there is none.`,
        effect: 'read',
        input: z.object({ id: GivenId }),
        output: found,
        run: async (input, { caller, services }) => ({
          item: (await of(services).get(caller, input.id)) ?? null,
        }),
      }),
      create: defineTool({
        name: `COLLECTION_${name}_CREATE`,
        title: `Create ${one}`,
        description: `Makes a ${inSentence(one)}.`,
        effect: 'create',
        input: z.object({ data: create }),
        output: written,
        async run(input, { caller, services }) {
          // The fields of a type parameter are not worked out before it is known.
          const { data } = input as { data: z.output<Create> };
          return { item: await of(services).create(caller, data) };
        },
      }),
      update: defineTool({
        name: `COLLECTION_${name}_UPDATE`,
        title: `Update ${one}`,
        description: `Changes a ${inSentence(one)}; an absent field stays as it is, null clears it.`,
        effect: 'update',
        input: z.object({ id: GivenId, data: update }),
        output: written,
        async run(input, { caller, services }) {
          // As above.
          const { data } = input as { data: z.output<Update> };
          const item = await of(services).update(caller, input.id, data);
          if (item === undefined) throw new ToolError('not_found', `${one} not found`);
          return { item };
        },
      }),
      delete: defineTool({
        name: `COLLECTION_${name}_DELETE`,
        title: `Delete ${one}`,
        description: `Deletes a ${inSentence(one)}; deleted is false when there was none.`,
        effect: 'delete',
        privileged: true,
        input: z.object({ id: GivenId }),
        output: z.object({ id: z.string(), item: entity.nullable(), deleted: z.boolean() }),
        async run(input, { caller, services }) {
          const item = await of(services).delete(caller, input.id);
          return { id: input.id, item: item ?? null, deleted: item !== undefined };
        },
      }),
    };
  };
}

/** A name inside a sentence: `Virtual MCP` is a `virtual MCP` there. */
function inSentence(name: string): string {
  return name.replace(/\b[A-Z](?=[a-z])/g, (letter) => letter.toLowerCase());
}
