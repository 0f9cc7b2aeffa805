/** Owns throwaway self-signed certificates, made fresh for each run so that no key is ever stored. */
import { generateKeyPairSync, sign } from 'node:crypto';

const ECDSA_SHA256 = '1.2.840.10045.4.3.2';

/** Makes a key and a certificate that is valid for one host name. */
export function makeCertificate(host: string): { key: string; cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = sequence(objectId(ECDSA_SHA256));
  const name = sequence(tag(0x31, sequence(objectId('2.5.4.3'), tag(0x0c, Buffer.from(host)))));
  const alternativeNames = sequence(tag(0x82, Buffer.from(host)));
  const body = sequence(
    tag(0xa0, tag(0x02, Buffer.from([2]))),
    tag(0x02, Buffer.from([1])),
    algorithm,
    name,
    sequence(utcTime('200101000000Z'), utcTime('491231235959Z')),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    tag(0xa3, sequence(sequence(objectId('2.5.29.17'), tag(0x04, alternativeNames)))),
  );
  const signature = sign('sha256', body, privateKey);
  const der = sequence(body, algorithm, tag(0x03, Buffer.concat([Buffer.from([0]), signature])));
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n'),
  };
}

function tag(type: number, content: Buffer): Buffer {
  const size = content.length;
  const length = size < 128 ? [size] : size < 256 ? [0x81, size] : [0x82, size >> 8, size & 0xff];
  return Buffer.concat([Buffer.from([type, ...length]), content]);
}

function sequence(...parts: Buffer[]): Buffer {
  return tag(0x30, Buffer.concat(parts));
}

function utcTime(text: string): Buffer {
  return tag(0x17, Buffer.from(text));
}

function objectId(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return tag(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

function base128(value: number): number[] {
  const bytes = [value & 0x7f];
  for (let rest = value >> 7; rest > 0; rest >>= 7) bytes.unshift((rest & 0x7f) | 0x80);
  return bytes;
}
