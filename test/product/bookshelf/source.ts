/** A source of another kind: each organization has a shelf of books in a file of its own, which is served as a toolset. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Change, Source, SourcePart } from '@parley/kit';
import { defineOutsideTool, defineResource, defineToolset, install } from '@parley/kit';

/** Shelves in a folder. */
export interface Bookshelves extends Source {
  /** Reads the file of an organization again. */
  refresh(organizationId: string): Promise<void>;
}

/** Creates the source; `<folder>/<organization>.json` is a list of titles. */
export function bookshelves(folder: string): Bookshelves {
  const parts = new Map<string, SourcePart>();
  const listeners = new Set<(change: Change) => void>();
  let version = 0;

  async function load(organizationId: string): Promise<void> {
    // An organization without a file has no shelf.
    const text = await readFile(join(folder, `${organizationId}.json`), 'utf8').catch(() => undefined);
    version += 1;
    // Written by the test.
    const toolsets = text === undefined ? [] : [install(shelfOf(JSON.parse(text) as string[]))];
    parts.set(organizationId, { version, toolsets });
  }

  return {
    name: 'bookshelves',
    kind: 'bookshelf',
    reach: 'organization',
    catalog: (organizationId) => parts.get(organizationId),
    prepare: load,
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async refresh(organizationId) {
      await load(organizationId);
      for (const listener of listeners) listener({ kind: 'tools', organizationId });
    },
  };
}

function shelfOf(titles: readonly string[]) {
  return defineToolset({
    name: 'shelf_1',
    title: 'Shelf',
    tools: [
      defineOutsideTool({
        name: 'find_book',
        title: 'Find a book',
        description: 'Finds books by a part of their title.',
        effect: 'read',
        task: 'allowed',
        _meta: { 'example/shelf': titles.length },
        inputSchema: { type: 'object', properties: { part: { type: 'string' } }, required: ['part'] },
        call({ part }) {
          const found = titles.filter((title) => title.includes(String(part)));
          return { content: [{ type: 'text', text: found.join(', ') }] };
        },
      }),
    ],
    resources: [
      defineResource({
        name: 'titles',
        title: 'Titles',
        description: 'All titles.',
        uri: 'shelf://titles',
        read: () => ({ text: titles.join('\n') }),
      }),
    ],
  });
}
