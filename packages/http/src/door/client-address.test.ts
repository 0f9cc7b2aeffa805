/** The address that a request counts for: no header makes a new client, unless a trusted proxy wrote it. */
import type { IncomingMessage } from 'node:http';
import { describe, expect, test } from 'vitest';
import { createClientAddress } from './client-address.ts';

describe('the address of a client', () => {
  // The two fields of a request that decide it.
  const request = (remoteAddress: string, forwardedFor?: string) =>
    ({
      socket: { remoteAddress },
      headers: forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor },
    }) as unknown as IncomingMessage;

  test('is the socket unless a trusted proxy says more', () => {
    const plain = createClientAddress([]);
    expect(plain(request('203.0.113.9', '1.1.1.1'))).toBe('203.0.113.9');
    expect(plain(request('::ffff:203.0.113.9'))).toBe('203.0.113.9');
    const behind = createClientAddress(['10.0.0.1', 'fd00::/8']);
    const cases: [socket: string, header: string | undefined, client: string][] = [
      ['10.0.0.1', undefined, '10.0.0.1'],
      ['10.0.0.1', '', '10.0.0.1'],
      ['10.0.0.1', '1.1.1.1', '1.1.1.1'],
      ['10.0.0.1', '9.9.9.9, 1.1.1.1', '1.1.1.1'],
      ['10.0.0.1', '1.1.1.1, fd00::5', '1.1.1.1'],
      ['10.0.0.1', '1.1.1.1:5555', '1.1.1.1'],
      ['10.0.0.1', 'unknown', '10.0.0.1'],
      ['10.0.0.1', '1.1.1.1, unknown', '10.0.0.1'],
      ['10.0.0.1', '[2001:db8:1:2:3::4]:443', '2001:db8:1:2::/64'],
      ['10.0.0.2', '1.1.1.1', '10.0.0.2'],
      ['2001:db8::1', undefined, '2001:db8:0:0::/64'],
      ['fe80::1%eth0', undefined, 'fe80:0:0:0::/64'],
    ];
    for (const [socket, header, client] of cases) expect(behind(request(socket, header))).toBe(client);
  });

  test('a proxy that is no address is refused at the start', () => {
    for (const entry of ['', 'proxy.local', '10.0.0.0/', '10.0.0.0/x', '300.1.1.1'])
      expect(() => createClientAddress([entry])).toThrow(/no address of a proxy/);
  });
});
