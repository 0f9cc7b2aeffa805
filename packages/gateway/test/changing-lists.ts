/** Lists that a test changes: each change adds one item of a kind, and tells so. */
import { defineOutsideTool, definePrompt, defineResource, defineToolset } from '@parley/kit';
import type { Source } from '@parley/kit';
import { scriptedSource } from '@parley/kit/testing';
import * as z from 'zod';

export interface ChangingLists {
  readonly source: Source;
  /** Adds a tool, prompt or resource to the toolset `moving` of an organization, under the next number. */
  change(organizationId: string, kind: 'tools' | 'prompts' | 'resources'): void;
}

export function changingLists(): ChangingLists {
  const source = scriptedSource('moving');
  const counts = new Map<string, { tools: number; prompts: number; resources: number }>();
  return {
    source,
    change(organizationId, kind) {
      const count = counts.get(organizationId) ?? { tools: 0, prompts: 0, resources: 0 };
      counts.set(organizationId, count);
      count[kind] += 1;
      source.give(
        organizationId,
        defineToolset({
          name: 'moving',
          title: 'Moving',
          tools: named('tool', count.tools, (name) =>
            defineOutsideTool({
              name,
              title: name,
              description: name,
              effect: 'read',
              inputSchema: { type: 'object' },
              call: () => ({ content: [] }),
            }),
          ),
          prompts: named('prompt', count.prompts, (name) =>
            definePrompt({
              name,
              title: name,
              description: name,
              arguments: z.object({}),
              get: () => name,
            }),
          ),
          resources: named('resource', count.resources, (name) =>
            defineResource({
              name,
              title: name,
              description: name,
              uri: `moving://${name}`,
              read: () => ({ text: name }),
            }),
          ),
        }),
      );
      if (kind !== 'tools') source.tell({ kind, organizationId });
    },
  };
}

function named<T>(word: string, count: number, make: (name: string) => T): T[] {
  return Array.from({ length: count }, (_, at) => make(`moving_${word}_${at + 1}`));
}
