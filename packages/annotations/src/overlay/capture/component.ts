/** Owns which component made an element: what its framework tells, else the markup; a mark of its own is its source. */
import type { ClassFiles } from '../source/angular.ts';
import { readAngular } from '../source/angular.ts';
import type { FoundComponent, Framework, SourcePaths } from '../source/found.ts';
import { ownMark } from '../source/found.ts';
import { readReact } from '../source/react.ts';
import { readSvelte } from '../source/svelte.ts';
import { readVue } from '../source/vue.ts';
import { parentOf } from './tree.ts';

const LANDMARK = /^(main|nav|header|footer|aside|form|dialog|article|section)$/;

/** Reads components with the class files of the moment. */
export function createComponentReader(
  files: () => ClassFiles,
  paths: SourcePaths | undefined,
): (element: Element) => FoundComponent {
  const readers = [readReact(paths), readVue, readSvelte, readAngular(files)];
  return (element) => {
    let found: FoundComponent | null = null;
    for (const read of readers) {
      try {
        found = read(element);
      } catch {
        // Internals of a framework changed; the note goes on without them.
      }
      if (found !== null) break;
    }
    const source = ownMark(element);
    return { ...(found ?? fromMarkup(element)), ...(source !== undefined && { source }) };
  };
}

function fromMarkup(element: Element): FoundComponent {
  for (let at: Element | null = element; at !== null; at = parentOf(at)) {
    if (at.localName.includes('-') || LANDMARK.test(at.localName)) return { name: at.localName };
  }
  return {};
}

/** The framework that runs this page, as far as it shows. */
export function detectFramework(): Framework {
  if ('ng' in globalThis || document.querySelector('[ng-version]') !== null) return 'angular';
  const some = [...document.querySelectorAll('body, body *')].slice(0, 400);
  for (const element of some) {
    const names = Object.keys(element);
    if (names.some((name) => name.startsWith('__react'))) return 'react';
    if (names.some((name) => name.startsWith('__vue') || name === '_vnode')) return 'vue';
    if (names.includes('__svelte_meta')) return 'svelte';
  }
  return 'none';
}

const SECRET_KEY = /pass(word|wd)?|token|secret|api[-_]?key|authorization|credential|cookie/i;
const MAX_INPUTS_BYTES = 4_000;

type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** Inputs as plain JSON: 3 levels, 4 kB, secrets masked. */
export function plainInputs(inputs: Readonly<Record<string, unknown>>): Record<string, Json> | undefined {
  const kept: Record<string, Json> = {};
  let sizeBytes = 2;
  for (const [key, value] of Object.entries(inputs).slice(0, 50)) {
    const plain = SECRET_KEY.test(key) ? '***' : toPlain(value, 2);
    sizeBytes += new TextEncoder().encode(JSON.stringify({ [key]: plain })).length;
    if (sizeBytes > MAX_INPUTS_BYTES) break;
    kept[key] = plain;
  }
  return Object.keys(kept).length === 0 ? undefined : kept;
}

function toPlain(value: unknown, levels: number): Json {
  if (value === null || typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (typeof value === 'string') return value.slice(0, 500);
  if (typeof value !== 'object') return `[${typeof value}]`;
  if (value instanceof Element) return `<${value.localName}>`;
  if (levels === 0) return Array.isArray(value) ? `[${value.length} items]` : '[object]';
  if (Array.isArray(value)) return value.slice(0, 20).map((item) => toPlain(item, levels - 1));
  if ('$$typeof' in value) return '[element]';
  const entries = Object.entries(value).slice(0, 20);
  return Object.fromEntries(
    entries.map(([key, inner]) => [key, SECRET_KEY.test(key) ? '***' : toPlain(inner, levels - 1)]),
  );
}
