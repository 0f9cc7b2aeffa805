/** How the gateway treats a connection: `metadata.gateway` is checked, and private addresses are allowed by those who may, on both databases. */
import { allowAddress } from '@parley/connections';
import { expect, test } from 'vitest';
import type { MeshClient } from '../../test/mesh-bed.ts';
import { onBothMeshes } from '../../test/mesh-bed.ts';
import { http, made, newScene } from '../../test/scene.ts';

const OWN_PORT = 4680;
const LOCAL = 'http://127.0.0.1:9000/mcp';
const allowing = (connection_url = LOCAL) =>
  http('Local', { connection_url, metadata: { gateway: { allowPrivate: true } } });

onBothMeshes(
  'settings of the gateway',
  (bed) => {
    const stage = async () => {
      const scene = await newScene(bed());
      return { ...scene, client: await scene.as(), allowed: () => scene.upstream.asked.at(-1)?.target.allow };
    };
    const update = (client: MeshClient, id: string, data: object) =>
      client.attempt('COLLECTION_CONNECTIONS_UPDATE', { id, data });

    test.each([
      ['an unknown key', { pining: 'off' }, 'metadata.gateway.pining'],
      ['an unknown mode', { pinning: 'loose' }, 'metadata.gateway.pinning'],
      ['a time that is too short', { callTimeoutMs: 10 }, 'metadata.gateway.callTimeoutMs'],
      [
        'a template without its place',
        { personalToken: { header: 'X', template: 'x' } },
        'metadata.gateway.personalToken.template',
      ],
      [
        'an unknown key within',
        { mappedHeader: { from: 'a', to: 'b', via: 'c' } },
        'metadata.gateway.mappedHeader.via',
      ],
      ['no object', 'strict', 'metadata.gateway'],
      ['nothing', null, 'metadata.gateway'],
    ])('%s is refused with its path', async (_name, gateway, path) => {
      const { client, content } = await stage();
      const { id } = await made(client, http('Web'));
      const before = await content();
      const refused = { code: 'invalid', message: expect.stringContaining(`${path}:`) as unknown };
      const data = http('Bad', { metadata: { gateway } });
      expect(await client.attempt('COLLECTION_CONNECTIONS_CREATE', { data })).toMatchObject(refused);
      expect(await update(client, id, { metadata: { gateway } })).toMatchObject(refused);
      expect(await content()).toBe(before);
    });

    test('good ones are kept, with everything else that somebody noted', async () => {
      const { client, allowed, upstream } = await stage();
      const gateway = {
        pinning: 'flag',
        maxResultBytes: 2048,
        mappedHeader: { from: 'X-Key', to: 'X-Api-Key' },
      };
      const { id, metadata } = await made(client, http('Web', { metadata: { team: 'A', gateway } }));
      expect(metadata).toEqual({ team: 'A', gateway });
      expect(allowed()).toEqual([]);
      await client.call('CONNECTION_TEST', { id });
      expect(upstream.asked.at(-1)?.target.maxResultBytes).toBe(2048);
    });

    test('only owners and administrators let answers be larger than by default; others keep what is there', async () => {
      const { client, as, content } = await stage();
      const usual = { gateway: { maxResultBytes: 10 * 1024 * 1024 } };
      const larger = { gateway: { maxResultBytes: 10 * 1024 * 1024 + 1 } };
      const large = await made(client, http('Large', { metadata: larger }));
      const { id } = await made(client, http('Web'));
      const before = await content();
      const strangers = [
        await as({ roles: ['member'], grants: { self: ['*'] } }),
        await as({ grants: { self: ['COLLECTION_CONNECTIONS_CREATE', 'COLLECTION_CONNECTIONS_UPDATE'] } }),
      ];
      const most = { metadata: { gateway: { maxResultBytes: 50 * 1024 * 1024 } } };
      for (const stranger of strangers)
        for (const attempt of [
          () =>
            stranger.attempt('COLLECTION_CONNECTIONS_CREATE', { data: http('Mine', { metadata: larger }) }),
          () => update(stranger, id, { metadata: larger }),
          () => update(stranger, large.id, most),
        ])
          expect(await attempt()).toMatchObject({
            code: 'forbidden',
            message: expect.stringContaining('metadata.gateway.maxResultBytes:') as unknown,
          });
      expect(await content()).toBe(before);
      const [member] = strangers;
      expect(await update(member!, large.id, { title: 'Renamed', metadata: larger })).toMatchObject({
        ok: true,
      });
      expect(await update(member!, id, { metadata: usual })).toMatchObject({ ok: true });
      expect(await update(member!, large.id, { metadata: usual })).toMatchObject({ ok: true });
      expect(await update(client, id, most)).toMatchObject({ ok: true });
    });

    test('an owner allows the private address of a connection, for that address alone', async () => {
      const { client, allowed } = await stage();
      const { id } = await made(client, allowing());
      expect(allowed()).toEqual(['127.0.0.1:9000']);
      await client.call('CONNECTION_TEST', { id });
      expect(allowed()).toEqual(['127.0.0.1:9000']);
      // Another path of the same server.
      await update(client, id, { connection_url: 'http://127.0.0.1:9000/other' });
      expect(allowed()).toEqual(['127.0.0.1:9000']);
      // Another server: what was said before was not said of it.
      const moved = await update(client, id, { connection_url: 'http://127.0.0.1:9001/mcp' });
      expect(moved).toMatchObject({ value: { item: { metadata: { gateway: {} } } } });
      expect(JSON.stringify(moved)).not.toContain('allowPrivate');
      expect(allowed()).toEqual([]);
      await update(client, id, { connection_url: LOCAL });
      expect(allowed()).toEqual([]);
      await update(client, id, {
        connection_url: 'http://[::1]/mcp',
        metadata: { gateway: { allowPrivate: true } },
      });
      expect(allowed()).toEqual(['[::1]:80']);
      await update(client, id, { metadata: { gateway: {} } });
      await client.call('CONNECTION_TEST', { id });
      expect(allowed()).toEqual([]);
    });

    test('nobody else allows one, and nobody this server itself', async () => {
      const { client, as, upstream, content } = await stage();
      const { id } = await made(client, http('Web', { connection_url: LOCAL }));
      const local = await made(client, allowing());
      const before = await content();
      const asked = upstream.asked.length;
      const strangers = [
        await as({ roles: ['member'], grants: { self: ['*'] } }),
        await as({ grants: { self: ['COLLECTION_CONNECTIONS_CREATE', 'COLLECTION_CONNECTIONS_UPDATE'] } }),
      ];
      for (const stranger of strangers) {
        const metadata = { gateway: { allowPrivate: true } };
        for (const attempt of [
          () => stranger.attempt('COLLECTION_CONNECTIONS_CREATE', { data: allowing() }),
          () => update(stranger, id, { metadata }),
          () => update(stranger, local.id, { metadata, connection_url: 'http://10.0.0.1/' }),
        ])
          expect(await attempt()).toMatchObject({ code: 'forbidden' });
      }
      for (const url of [`http://127.0.0.1:${OWN_PORT}/mcp`, `http://localhost:${OWN_PORT}/mcp`])
        expect(await client.attempt('COLLECTION_CONNECTIONS_CREATE', { data: allowing(url) })).toMatchObject({
          code: 'invalid',
          message: expect.stringContaining('itself') as unknown,
        });
      expect(await content()).toBe(before);
      expect(upstream.asked).toHaveLength(asked);
      // What is there may be sent back as it was.
      const [member] = strangers;
      const same = { metadata: local.metadata, title: 'Renamed' };
      expect(await update(member!, local.id, same)).toMatchObject({ ok: true });
    });

    test.each([
      'http://169.254.169.254/latest/meta-data',
      'http://169.254.170.2/',
      'http://0xa9fea9fe/',
      'http://[::ffff:169.254.169.254]/',
      'http://[fd00:ec2::254]/',
      'http://100.100.100.200:8080/mcp',
      'https://metadata.google.internal/mcp',
      'http://METADATA.google.internal./',
      'http://instance-data/',
      `http://0.0.0.0:${OWN_PORT}/mcp`,
      `http://[::]:${OWN_PORT}/mcp`,
      `http://[::ffff:0.0.0.0]:${OWN_PORT}/mcp`,
      `http://127.9.9.9:${OWN_PORT}/mcp`,
      `https://localhost.:${OWN_PORT}/mcp`,
    ])('%s is refused to an owner, with and without the permission, and never asked', async (url) => {
      const { client, upstream, content } = await stage();
      const { id } = await made(client, allowing());
      const before = await content();
      const asked = upstream.asked.length;
      const refused = { code: 'invalid', message: expect.stringContaining('connection_url:') as unknown };
      const metadata = { gateway: { allowPrivate: true } };
      for (const data of [allowing(url), http('Web', { connection_url: url })])
        expect(await client.attempt('COLLECTION_CONNECTIONS_CREATE', { data })).toMatchObject(refused);
      for (const data of [{ connection_url: url }, { connection_url: url, metadata }])
        expect(await update(client, id, data)).toMatchObject(refused);
      expect(await content()).toBe(before);
      expect(upstream.asked).toHaveLength(asked);
    });

    test('a connection may be reached without TLS where it says so, and at its own address alone', async () => {
      const { client, allowed } = await stage();
      const plain = { metadata: { gateway: { allowPlain: true } } };
      const { id } = await made(
        client,
        http('Old', { connection_url: 'http://old.example:8080/mcp', ...plain }),
      );
      expect(allowed()).toEqual(['plain:old.example:8080']);
      await update(client, id, { connection_url: 'http://older.example/mcp' });
      expect(allowed()).toEqual(['plain:older.example:80']);
      await update(client, id, { connection_url: 'https://older.example/mcp' });
      expect(allowed()).toEqual([]);
      await made(client, http('Other', { connection_url: 'http://old.example:8080/mcp' }));
      expect(allowed()).toEqual([]);
    });

    test('whoever is on the machine allows more, but not this server itself', async () => {
      const { client, allowed, store } = await stage();
      const { id } = await made(client, http('Web'));
      await store.transaction(async (tx) => {
        await allowAddress(tx, id, '10.0.0.1:8080');
        await allowAddress(tx, id, '10.0.0.1:8080');
        await allowAddress(tx, id, `127.0.0.1:${OWN_PORT}`);
      });
      await client.call('CONNECTION_TEST', { id });
      expect(allowed()).toEqual(['10.0.0.1:8080']);
    });
  },
  () => ({ parts: { ownPort: () => OWN_PORT } }),
);
