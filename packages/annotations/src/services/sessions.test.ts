import { deflateSync } from 'node:zlib';
import { scratchStore } from '@parley/store/testing';
import { eventually } from '@parley/test-support/eventually';
import { describe, expect, test } from 'vitest';
import { onBothEngines } from '../../test/engines.ts';
import { AGENT, openDesk, ORGANIZATION, ORIGIN, PAGE } from '../../test/notes.ts';
import { pictureFacts } from './picture.ts';

const START = Date.UTC(2026, 0, 1);

/** A PNG of this size, with filler so that it has as many bytes as wanted. */
function png(width = 2, height = 3, sizeBytes = 0): Buffer {
  const head = Buffer.alloc(33);
  Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13]).copy(head);
  head.write('IHDR', 12);
  head.writeUInt32BE(width, 16);
  head.writeUInt32BE(height, 20);
  const body = Buffer.concat([head, deflateSync(Buffer.alloc(16))]);
  return Buffer.concat([body, Buffer.alloc(Math.max(0, sizeBytes - body.length))]);
}

onBothEngines('a session', (open) => {
  test('is active while held, and 15 s after the last connection is gone it is not', async () => {
    let now = START;
    const desk = await openDesk(await open(), { now: () => now });
    const { sessions } = desk.services;
    const { id } = await desk.page();
    const isActive = async () => (await sessions.get(ORGANIZATION, id)).active;
    expect(await isActive()).toBe(true);
    now += 10_000;
    await sessions.touch(id);
    now += 10_000;
    expect(await isActive()).toBe(true);
    await sessions.release(id);
    now += 14_999;
    expect(await isActive()).toBe(true);
    now += 2;
    expect(await isActive()).toBe(false);
    expect(await sessions.active(ORGANIZATION)).toBe(0);
  });

  test('is resumed by its own token only, on its own origin and page token only', async () => {
    const desk = await openDesk(await open());
    const { sessions, pageTokens } = desk.services;
    const page = (await pageTokens.find(desk.token, ORIGIN))!;
    const first = await sessions.open(page, ORIGIN, PAGE);
    const { sessionToken } = first;
    expect(sessionToken).toMatch(/^parley_tab_[\w-]{43}$/);
    const again = await sessions.open(page, ORIGIN, { ...PAGE, url: `${ORIGIN}/other`, sessionToken });
    expect(again.row).toMatchObject({ id: first.row.id, url: `${ORIGIN}/other` });
    const wrong = await sessions.open(page, ORIGIN, { ...PAGE, sessionToken: `${sessionToken}x` });
    expect(wrong.row.id).not.toBe(first.row.id);
    const elsewhere = await sessions.open(page, 'http://localhost:9999', { ...PAGE, sessionToken });
    expect(elsewhere.row.id).not.toBe(first.row.id);
    const foreign = (await pageTokens.find(await pageTokens.show('org_stranger'), ORIGIN))!;
    const stranger = await sessions.open(foreign, ORIGIN, { ...PAGE, sessionToken });
    expect(stranger.row).toMatchObject({ organization_id: 'org_stranger' });
    expect(stranger.row.id).not.toBe(first.row.id);
  });

  test('is listed with the one seen last first, and only in its own organization', async () => {
    let now = START;
    const desk = await openDesk(await open(), { now: () => (now += 1000) });
    const [first, second] = [await desk.page(), await desk.page()];
    await desk.page('org_stranger');
    await desk.services.sessions.touch(first.id);
    const { sessions, total } = await desk.services.sessions.list(ORGANIZATION);
    expect(sessions.map(({ id }) => id)).toEqual([first.id, second.id]);
    expect(total).toBe(2);
  });

  test('neither its token nor the page token is stored as it is', async () => {
    const store = await open();
    const desk = await openDesk(store);
    const { pageTokens, sessions } = desk.services;
    const { sessionToken } = await sessions.open((await pageTokens.find(desk.token, ORIGIN))!, ORIGIN, PAGE);
    const tables = store.db<Record<string, Record<string, unknown>>>();
    const rows = JSON.stringify([
      await tables.selectFrom('annotation_page_tokens').selectAll().execute(),
      await tables.selectFrom('annotation_sessions').selectAll().execute(),
    ]);
    expect(rows).not.toContain(desk.token);
    expect(rows).not.toContain(sessionToken);
    expect(JSON.stringify(await sessions.list(ORGANIZATION))).not.toContain('parley_');
  });

  test('a page token has a most of connected pages', async () => {
    let now = START;
    const desk = await openDesk(await open(), { limits: { sessionsPerPageToken: 2 }, now: () => now });
    await desk.page();
    await desk.page();
    await expect(desk.page()).rejects.toMatchObject({ code: 'rate_limited' });
    now += 60_000;
    expect((await desk.page()).id).toMatch(/^ses_/);
  });

  test('the page token is the same at every start, one per organization, and dead once revoked', async () => {
    const store = await open();
    const [one, two] = await Promise.all([openDesk(store), openDesk(store)]);
    expect(one.token).toBe(two.token);
    expect(one.token).toMatch(/^parley_page_[\w-]{43}$/);
    const { pageTokens } = one.services;
    const { id } = (await pageTokens.find(one.token, ORIGIN))!;
    await expect(pageTokens.revoke('org_stranger', id)).rejects.toMatchObject({ code: 'not_found' });
    expect(await pageTokens.isValid(id, ORIGIN)).toBe(true);
    await pageTokens.revoke(ORGANIZATION, id);
    expect(await pageTokens.find(one.token, ORIGIN)).toBeUndefined();
    expect(await pageTokens.show(ORGANIZATION)).not.toBe(one.token);
  });
});

onBothEngines('presence', (open) => {
  test('shows watching, then working, and none 41 s after the last call', async () => {
    let now = START;
    const desk = await openDesk(await open(), { now: () => now });
    const { presence, agent } = desk.services;
    const page = await desk.page();
    const { id } = await desk.note(page);
    const state = async () => (await presence.of(ORGANIZATION, page.id)).state;
    expect(await state()).toBe('none');
    const endWatch = presence.beginWatch(AGENT, 'claude');
    await presence.close();
    expect(await presence.of(ORGANIZATION, page.id)).toMatchObject({
      state: 'watching',
      agents: [{ name: 'Agent', client: 'claude' }],
    });
    await agent.acknowledge(AGENT, id);
    expect(await state()).toBe('working');
    await agent.resolve(AGENT, id);
    expect(await state()).toBe('watching');
    now += 25_000;
    endWatch();
    await presence.close();
    now += 39_000;
    expect(await state()).toBe('watching');
    now += 2000;
    expect(await state()).toBe('none');
    expect((await presence.of('org_stranger', page.id)).agents).toEqual([]);
  });

  test('a caller is written once in 5 s, however often it calls', async () => {
    let now = START;
    const store = await open();
    const desk = await openDesk(store, { now: () => now });
    let announced = 0;
    desk.services.changes.listen(({ kind }) => (announced += kind === 'presence' ? 1 : 0));
    for (let call = 0; call < 10; call += 1) {
      desk.services.presence.stamp(AGENT, 'claude');
      now += 1000;
    }
    await desk.services.presence.close();
    await eventually(() => expect(announced).toBeGreaterThan(0));
    expect(announced).toBe(1);
    const { agents } = await desk.services.presence.of(ORGANIZATION, 'ses_none');
    expect(agents).toMatchObject([{ lastSeenAt: new Date(START + 5000).toISOString() }]);
    expect(desk.faults).toEqual([]);
  });
});

onBothEngines('screenshots', (open) => {
  test('a picture is read back as it was, and strangers do not see it', async () => {
    const desk = await openDesk(await open());
    const page = await desk.page();
    const picture = png(4, 5);
    const shot = await desk.services.screenshots.add(page, picture, 'image/png');
    expect(shot).toMatchObject({ width: 4, height: 5, bytes: picture.length, mimeType: 'image/png' });
    const { id, screenshot } = await desk.note(page, { screenshotId: shot.id });
    expect(screenshot).toEqual(shot);
    expect(await desk.services.screenshots.ofNote(ORGANIZATION, id)).toEqual({
      data: picture.toString('base64'),
      mimeType: 'image/png',
    });
    expect(await desk.services.screenshots.ofNote('org_stranger', id)).toBeUndefined();
    await expect(desk.note(await desk.page(), { screenshotId: shot.id })).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  test('one byte too many, SVG and a wrong magic number are refused', async () => {
    const desk = await openDesk(await open());
    const page = await desk.page();
    const { screenshots, limits } = desk.services;
    const refused: [Buffer, string][] = [
      [png(1, 1, limits.screenshotBytes + 1), 'image/png'],
      [Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'image/svg+xml'],
      [png(), 'image/jpeg'],
      [Buffer.from('GIF89a'), 'image/png'],
      [Buffer.alloc(0), 'image/png'],
      [png(0, 5), 'image/png'],
    ];
    for (const [bytes, type] of refused)
      await expect(screenshots.add(page, bytes, type)).rejects.toMatchObject({ code: 'invalid' });
    const largest = png(1, 1, limits.screenshotBytes);
    expect((await screenshots.add(page, largest, 'image/png')).bytes).toBe(largest.length);
  });

  test('a full project drops the oldest pictures of closed notes, never of open ones', async () => {
    const desk = await openDesk(await open(), { limits: { screenshotBytesPerProject: 300 } });
    const page = await desk.page();
    const { screenshots, agent } = desk.services;
    const withPicture = async () => {
      const { id } = await screenshots.add(page, png(1, 1, 100), 'image/png');
      return desk.note(page, { screenshotId: id });
    };
    const [first, second] = [await withPicture(), await withPicture()];
    await withPicture();
    await expect(screenshots.add(page, png(1, 1, 100), 'image/png')).rejects.toMatchObject({
      code: 'invalid',
    });
    await agent.resolve(AGENT, second.id);
    await withPicture();
    expect(await screenshots.ofNote(ORGANIZATION, second.id)).toBeUndefined();
    expect(await desk.services.notes.get(ORGANIZATION, second.id)).not.toHaveProperty('screenshot');
    expect(await screenshots.ofNote(ORGANIZATION, first.id)).toBeDefined();
  });
});

onBothEngines('retention', (open) => {
  test('removes closed notes after 90 days, then their empty sessions, and never an open note', async () => {
    let now = START;
    const desk = await openDesk(await open(), { now: () => now });
    const [busy, quiet] = [await desk.page(), await desk.page()];
    const [open1, closed, gone] = [await desk.note(busy), await desk.note(busy), await desk.note(quiet)];
    await desk.services.agent.resolve(AGENT, closed.id);
    await desk.services.agent.dismiss(AGENT, gone.id, 'No');
    now += 89 * 24 * 3_600_000;
    await desk.services.sweep();
    expect((await desk.services.notes.list({ organizationId: ORGANIZATION })).total).toBe(3);
    now += 2 * 24 * 3_600_000;
    await desk.services.sweep();
    const { annotations } = await desk.services.notes.list({ organizationId: ORGANIZATION });
    expect(annotations.map(({ id }) => id)).toEqual([open1.id]);
    expect((await desk.services.sessions.list(ORGANIZATION)).sessions.map(({ id }) => id)).toEqual([busy.id]);
  });
});

describe('notices for MCP clients', () => {
  test('one change gives one notice per affected URI', async () => {
    await using store = await scratchStore();
    const desk = await openDesk(store);
    const page = await desk.page();
    const { id } = await desk.note(page);
    const seen: string[] = [];
    desk.bus.subscribe((change) => seen.push(change.kind === 'resource' ? change.uri : change.kind));
    await eventually(() => expect(seen.length).toBeGreaterThan(0));
    seen.length = 0;
    await desk.services.agent.acknowledge(AGENT, id);
    await eventually(() => expect(seen.length).toBeGreaterThanOrEqual(4));
    const base = 'parley://annotations';
    expect(seen.toSorted()).toEqual(
      [
        `${base}/${id}`,
        `${base}/${id}/markdown`,
        `${base}/pending`,
        `${base}/sessions/${page.id}`,
      ].toSorted(),
    );
    seen.length = 0;
    await desk.services.agent.reply(AGENT, id, 'Hi');
    await eventually(() => expect(seen.length).toBeGreaterThanOrEqual(3));
    expect(seen).not.toContain(`${base}/pending`);
    seen.length = 0;
    const { id: added } = await desk.page();
    await eventually(() => expect(seen.length).toBeGreaterThanOrEqual(3));
    expect(seen.toSorted()).toEqual([`${base}/sessions`, `${base}/sessions/${added}`, 'resources']);
  });
});

describe('pictures', () => {
  test('tell their size whatever the format', () => {
    const jpeg = Buffer.from('ffd8ffe000104a46494600010100000100010000ffc0000b080010002001011100', 'hex');
    expect(pictureFacts(jpeg)).toEqual({ mimeType: 'image/jpeg', width: 32, height: 16 });
    const webp = Buffer.alloc(30);
    webp.write('RIFF', 0);
    webp.write('WEBPVP8X', 8);
    webp.writeUIntLE(99, 24, 3);
    webp.writeUIntLE(49, 27, 3);
    expect(pictureFacts(webp)).toEqual({ mimeType: 'image/webp', width: 100, height: 50 });
    expect(pictureFacts(Buffer.from('ffd8ff', 'hex'))).toBeUndefined();
    expect(pictureFacts(Buffer.from(`ffd8${'ff'.repeat(40)}`, 'hex'))).toBeUndefined();
  });
});
