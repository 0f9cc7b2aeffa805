/** A foreign id answers like an unknown one: a table of calls that the tests of all nouns share. */
import { expect, test } from 'vitest';
import type { MeshBed } from './mesh-bed.ts';

/** A call that names something of an organization by an id. */
export interface NamedThing {
  readonly tool: string;
  /** Makes or finds the thing in the organization `acme`. */
  readonly id: (bed: MeshBed) => string | Promise<string>;
  readonly input: (id: string, bed: MeshBed) => Record<string, unknown>;
}

const NOBODYS_ID = 'nobody_000000000000000000000';

/** Every call of the table by the owner of another organization: as for an id that nobody has, and nothing changes. */
export function foreignIds(bed: () => MeshBed, rows: readonly NamedThing[]): void {
  for (const { tool, id, input } of rows)
    test(`check 9: ${tool} answers for a foreign id as for a random one`, async () => {
      const foreign = await id(bed());
      const before = await bed().content();
      const answer = async (asked: string) => {
        const { raw } = await bed().ask(bed().rival.owner.caller, tool, input(asked, bed()));
        return raw.replaceAll(asked, 'ID');
      };
      expect(await answer(foreign)).toBe(await answer(NOBODYS_ID));
      expect(await bed().content()).toBe(before);
    });
}
