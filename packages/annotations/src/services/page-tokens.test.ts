import { expect, test } from 'vitest';
import { onBothEngines } from '../../test/engines.ts';
import { openDesk, ORGANIZATION, ORIGIN } from '../../test/notes.ts';

onBothEngines('a page token', (open) => {
  test('is listed with the pages that are connected, the newest token first', async () => {
    const desk = await openDesk(await open());
    const { pageTokens } = desk.services;
    await desk.page();
    await desk.page();
    const [{ id } = { id: '' }] = await pageTokens.list(ORGANIZATION, 10);
    await pageTokens.revoke(ORGANIZATION, id);
    const made = await pageTokens.create(ORGANIZATION);
    expect(await pageTokens.list(ORGANIZATION, 10)).toMatchObject([
      { id: made.id, state: 'valid', pages: 0 },
      { id, state: 'revoked', pages: 2 },
    ]);
    expect(await pageTokens.list(ORGANIZATION, 1)).toHaveLength(1);
    expect(await pageTokens.list('org_stranger', 10)).toEqual([]);
    expect(await pageTokens.find(made.text, ORIGIN)).toMatchObject({ id: made.id });
  });

  test('is not brought back by a binding that races its end', async () => {
    const desk = await openDesk(await open());
    const { pageTokens } = desk.services;
    for (let round = 0; round < 10; round += 1) {
      const text = await pageTokens.show(ORGANIZATION);
      const [{ id } = { id: '' }] = await pageTokens.list(ORGANIZATION, 1);
      const bind = () => pageTokens.allow(ORGANIZATION, id, [ORIGIN]).catch((error: unknown) => error);
      await Promise.all([bind(), pageTokens.revoke(ORGANIZATION, id), bind()]);
      expect(await pageTokens.find(text, ORIGIN)).toBeUndefined();
    }
  });
});
