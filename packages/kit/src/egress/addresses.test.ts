/** Owns the promise that every kind of address has the right reach. */
import { describe, expect, test } from 'vitest';
import { reachOf } from './addresses.ts';

const PUBLIC = ['1.1.1.1', '8.8.8.8', '172.15.255.255', '172.32.0.0', '100.63.255.255', '100.128.0.0'];
const PUBLIC_IPV6 = ['2606:4700:4700::1111', '2001:4860:4860::8888', '2a00:1450:4001:81b::200e'];

const INTERNAL = {
  loopback: ['127.0.0.1', '127.255.255.254', '::1'],
  private: ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', 'fc00::1', 'fdff::1'],
  'link-local': ['169.254.1.1', 'fe80::1', 'febf::1', 'fec0::1'],
  'carrier NAT': ['100.64.0.1', '100.127.255.255'],
  'multicast and broadcast': ['224.0.0.1', '239.255.255.255', '255.255.255.255', 'ff02::1'],
  reserved: ['240.0.0.1', '192.0.0.8', '192.88.99.1', '5f00::1', '100::1', '4000::1'],
  'this network and unspecified': ['0.0.0.0', '0.1.2.3', '::'],
  'documentation and benchmark': [
    '192.0.2.1',
    '198.51.100.1',
    '203.0.113.1',
    '198.18.0.1',
    '198.19.255.255',
    '2001:db8::1',
    '3fff::1',
    '2001:2::1',
  ],
  'IPv4-mapped': ['::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:8.8.8.8', '0:0:0:0:0:ffff:10.0.0.1'],
  'IPv4-compatible and translated': ['::127.0.0.1', '::8.8.8.8', '::ffff:0:10.0.0.1'],
  NAT64: ['64:ff9b::127.0.0.1', '64:ff9b::8.8.8.8', '64:ff9b:1::1'],
  '6to4': ['2002:7f00:1::', '2002:808:808::1'],
  Teredo: ['2001::1', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
  ISATAP: ['2606:4700::5efe:127.0.0.1', '2606:4700::200:5efe:10.0.0.1'],
};

const NEVER = [
  '169.254.169.254',
  '169.254.170.2',
  '169.254.170.23',
  '100.100.100.200',
  '168.63.129.16',
  'fd00:ec2::254',
  'fd20:ce::254',
  '::ffff:169.254.169.254',
  '::ffff:a9fe:a9fe',
  '::169.254.169.254',
  '::ffff:0:169.254.169.254',
  '64:ff9b::169.254.169.254',
  '64:ff9b::6464:64c8',
  '64:ff9b:1:a9fe:a9:fe00::',
  '2002:a9fe:a9fe::1',
  '2001:0:a9fe:a9fe::1',
  '2001:0:4136:e378:8000:63bf:5601:5601',
  '2606:4700::5efe:169.254.169.254',
];

describe('addresses', () => {
  test.each([...PUBLIC, ...PUBLIC_IPV6])('%s is public', (address) => {
    expect(reachOf(address)).toBe('public');
  });

  test.each(Object.entries(INTERNAL))('%s addresses are internal', (_kind, addresses) => {
    for (const address of addresses) expect([address, reachOf(address)]).toEqual([address, 'internal']);
  });

  test.each(NEVER)('the metadata service at %s can never be reached', (address) => {
    expect(reachOf(address)).toBe('never');
  });

  test.each(['', 'localhost', '127.1', '0x7f.0.0.1', '2130706433', 'fe80::1%lo', '::1%1', '1.2.3.4/8'])(
    'what is not a plain address (%s) can never be reached',
    (address) => {
      expect(reachOf(address)).toBe('never');
    },
  );
});
