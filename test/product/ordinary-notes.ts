/** Ten notes of an ordinary shop, and the tokenizer that counts what models pay for them. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { annotationMigrations, annotationsToolset, createAnnotationServices } from '@parley/annotations';
import { connect } from '@parley/kit/testing';
import { scratchStore } from '@parley/store/testing';
import { noteOf, ORIGIN } from './annotations-page.ts';
import { ROOT } from './build.ts';

// Installed in test/tools, apart from the product.
const require = createRequire(join(ROOT, 'test/tools/package.json'));
/** Counts by the tokenizer of widely used models. */
export const { countTokens } = require('gpt-tokenizer/encoding/o200k_base') as {
  countTokens(text: string): number;
};

const ELEMENTS = ['button', 'h1', 'td', 'a', 'img', 'label', 'p', 'li', 'select', 'nav'];

/** A note as ordinary pages give it, with the markup, styles and text of a real component: ten in full are over 4,130. */
function ordinaryNote(element: string, index: number) {
  return {
    ...noteOf(`Make this ${element} stand out more`, randomUUID()),
    url: `${ORIGIN}/orders/${1000 + index}`,
    selector: `main > section:nth-of-type(${index + 1}) > ${element}`,
    elementPath: `body > div#root > main > section:nth-of-type(${index + 1}) > div:nth-of-type(2) > ${element}`,
    element: `${element} "Pay now ${index}"`,
    componentName: 'OrderSummary',
    componentTreePath: ['App', 'Router', 'Shell', 'OrderPage', 'OrderSummary'],
    sourceFile: `src/orders/OrderSummary.tsx:${40 + index}:9`,
    inputs: { order: { id: index, total: 129.9, items: 3 }, isOpen: true, currency: 'EUR' },
    nearbyText: 'Your order 3 items 129.90 EUR Delivery tomorrow Change address Pay now Back to the basket '
      .repeat(5)
      .slice(0, 500),
    domSnapshot: `<${element} class="card primary rounded shadow">${'<span class="text">Pay now</span>'.repeat(10)}</${element}>`,
    cssClasses: ['card', 'primary', 'rounded', 'shadow'],
    computedStyles: {
      color: 'rgb(17, 24, 39)',
      'font-size': '14px',
      padding: '8px 16px',
      display: 'inline-flex',
    },
    accessibility: { role: element, name: `Pay now ${index}`, states: [], focusable: true },
  };
}

/** A shop with ten notes, and an agent connected to it. */
export async function shop() {
  const store = await scratchStore();
  await store.migrate([annotationMigrations]);
  const services = createAnnotationServices({ store });
  const token = await services.pageTokens.find(await services.pageTokens.show('org_test'), ORIGIN);
  const hello = {
    url: `${ORIGIN}/shop`,
    title: 'Shop',
    viewport: { width: 1280, height: 720, pixelRatio: 2 },
  };
  const browser = { userAgent: 'Test browser', framework: 'react' as const };
  const { row } = await services.sessions.open(token!, ORIGIN, { ...hello, ...browser });
  for (const [index, element] of ELEMENTS.entries())
    await services.person.create(row, ordinaryNote(element, index));
  const agent = await connect(annotationsToolset, { services });
  return {
    agent,
    row,
    async [Symbol.asyncDispose]() {
      await agent.close();
      await services.close();
      await store[Symbol.asyncDispose]();
    },
  };
}

interface Answer {
  content?: unknown;
  structuredContent?: unknown;
}

/** Some clients hand a model the text, others the data: the dearer one counts. */
export function tokensOf({ content, structuredContent }: Answer): number {
  // Every answer of these tools is text.
  const texts = (content as { text: string }[]).map(({ text }) => text).join('\n');
  return Math.max(countTokens(texts), countTokens(JSON.stringify(structuredContent)));
}
