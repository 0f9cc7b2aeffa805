/** Owns the load generator used where wrk is missing: keep-alive node:http, every answer looked at. */
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import type { KeyWindow, Window, WindowResult } from './load.ts';
import { modernBody, modernHeaders } from './wire.ts';

// the only caller is the bench itself, which sends this very type
const window = JSON.parse(process.argv[2] ?? '{}') as Window & Partial<KeyWindow>;
const agent = new Agent({ keepAlive: true, maxSockets: window.connections });
const headers = modernHeaders(window.kind, window.key);
const options = { ...urlOptions(window.url), method: 'POST', agent };
const latenciesUs: number[] = [];
const startedMs = performance.now();
const endMs = startedMs + window.seconds * 1000;
const keys = window.keysFile === undefined ? [] : readFileSync(window.keysFile, 'utf8').trim().split('\n');
const mostId = window.firstId + (window.requests ?? Infinity);
let id = window.firstId;
let errors = 0;

function urlOptions(url: string) {
  const { hostname, port, pathname } = new URL(url);
  return { hostname, port, path: pathname };
}

function send(): Promise<void> {
  const ownId = ++id;
  const body = modernBody(window.kind, ownId);
  const sentMs = performance.now();
  return new Promise((resolve) => {
    const fail = () => {
      errors++;
      resolve();
    };
    const length = { 'Content-Length': String(Buffer.byteLength(body)) };
    const key = keys[ownId % keys.length];
    const authorization = key === undefined ? {} : { authorization: `Bearer ${key}` };
    const req = request({ ...options, headers: { ...headers, ...length, ...authorization } }, (res) => {
      let answer = '';
      res.setEncoding('latin1');
      res.on('data', (chunk: string) => (answer += chunk));
      res.on('error', fail);
      res.on('end', () => {
        const isRight =
          res.statusCode === 200 && answer.length === window.answerBytes && answer.includes(`"id":${ownId}`);
        if (!isRight) errors++;
        latenciesUs.push((performance.now() - sentMs) * 1000);
        resolve();
      });
    });
    req.on('error', fail);
    req.end(body);
  });
}

async function keepSending(): Promise<void> {
  while (performance.now() < endMs && id < mostId) await send();
}

await Promise.all(Array.from({ length: window.connections }, keepSending));
agent.destroy();
latenciesUs.sort((left, right) => left - right);
const result: WindowResult = {
  requests: latenciesUs.length,
  seconds: (performance.now() - startedMs) / 1000,
  errors,
  p50Us: Math.round(latenciesUs[Math.floor(latenciesUs.length / 2)] ?? 0),
};
process.stdout.write(`${JSON.stringify(result)}\n`);
