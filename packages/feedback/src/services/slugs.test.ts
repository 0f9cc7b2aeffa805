import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SlugForm } from './slugs.ts';
import { insertWithSlug, slugOf } from './slugs.ts';

const BOARD: SlugForm = { noun: 'board', joint: '-', maxLength: 100 };
const STATUS: SlugForm = { noun: 'status', joint: '_', maxLength: 50 };

/** Makes a row in a list that other slugs are in already. */
async function make(name: string, form: SlugForm, used: string[], given?: string): Promise<string> {
  let made = '';
  await insertWithSlug({
    form,
    name,
    given,
    taken: async (beginning) => used.filter((slug) => slug.startsWith(beginning)),
    async insert(slug) {
      if (used.includes(slug)) return false;
      used.push(slug);
      made = slug;
      return true;
    },
  });
  return made;
}

describe('a slug', () => {
  it.each([
    ['Feature Requests', 'feature-requests'],
    ['  --Über uns!! ', 'uber-uns'],
    ['Crème brûlée & Ærøskøbing', 'creme-brulee-aeroskobing'],
    ['Straße Łódź', 'strasse-lodz'],
    ['ﬁne ①', 'fine-1'],
    ['İstanbul', 'istanbul'],
    ['日本語', 'board'],
    ['🎉', 'board'],
    ['x'.repeat(300), 'x'.repeat(100)],
    [`${'x'.repeat(99)} y`, 'x'.repeat(99)],
  ])('of %j is %j', (name, slug) => {
    expect(slugOf(name, BOARD)).toBe(slug);
  });

  it('is always of the allowed form, whatever the name', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (name) => {
        expect(slugOf(name, BOARD)).toMatch(/^[a-z0-9-]{1,100}$/);
        expect(slugOf(name, STATUS)).toMatch(/^[a-z0-9_]{1,50}$/);
      }),
    );
  });

  it('is numbered when it is made and taken', async () => {
    const used: string[] = [];
    for (const slug of ['ideas', 'ideas-2', 'ideas-3']) expect(await make('Ideas', BOARD, used)).toBe(slug);
    expect(await make('In review', STATUS, ['in_review'])).toBe('in_review_2');
  });

  it('stays within its length when it is numbered', async () => {
    const used: string[] = [];
    for (let count = 0; count < 12; count += 1) await make('y'.repeat(100), BOARD, used);
    expect(new Set(used).size).toBe(12);
    expect(Math.max(...used.map((slug) => slug.length))).toBe(100);
  });

  it('that is given is never changed', async () => {
    await expect(make('Ideas', BOARD, ['ideas'], 'ideas')).rejects.toMatchObject({
      code: 'conflict',
      message: 'A board with the slug "ideas" exists already',
    });
  });

  it('is numbered further when somebody was faster', async () => {
    const used = new Set(['ideas', 'ideas-2']);
    let made = '';
    await insertWithSlug({
      form: BOARD,
      name: 'Ideas',
      given: undefined,
      taken: async () => [],
      async insert(slug) {
        if (used.has(slug)) return false;
        made = slug;
        return true;
      },
    });
    expect(made).toBe('ideas-3');
  });
});
