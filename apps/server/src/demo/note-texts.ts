/** The notes of the demo: what people pointed at on the pages of Harbor, and what became of it. */
import type { Box } from './pictures.ts';
import { ACCENT, BAD, GOOD, INK, lines, PAPER, SOFT, SUN } from './pictures.ts';

/** A page of one of the projects. */
export interface DemoPage {
  readonly project: string;
  readonly url: string;
  readonly title: string;
  readonly framework: 'react' | 'vue' | 'svelte';
  readonly hoursAgo: number;
  readonly notes: readonly DemoNote[];
}

/** A deed that follows a note, of the agent or of the person; each comes a while after the one before. */
export type Deed =
  | { readonly does: 'takes'; readonly says?: string }
  | { readonly does: 'replies' | 'answers' | 'resolves' | 'dismisses'; readonly says: string }
  | { readonly does: 'proposes'; readonly says: string; readonly diff: string };

export interface DemoNote {
  readonly text: string;
  readonly intent: 'fix' | 'change' | 'question' | 'approve';
  readonly severity: 'blocking' | 'important' | 'suggestion';
  readonly component: readonly string[];
  readonly source: string;
  readonly selector: string;
  readonly element: string;
  /** Where it is on the page, and on the picture if there is one. */
  readonly place: readonly [x: number, y: number, width: number, height: number];
  readonly picture?: readonly Box[];
  readonly deeds: readonly Deed[];
}

const CHECKOUT: readonly Box[] = [
  [40, 70, 360, 300, PAPER],
  [60, 90, 180, 14, INK],
  ...lines(60, 122, [300, 260]),
  [60, 170, 320, 34, [236, 239, 245]],
  [60, 216, 320, 34, [236, 239, 245]],
  [60, 262, 150, 34, [236, 239, 245]],
  [230, 262, 150, 34, [236, 239, 245]],
  [60, 318, 120, 34, GOOD],
  [430, 70, 170, 180, PAPER],
  ...lines(450, 94, [120, 90, 110, 70]),
  [450, 200, 130, 14, INK],
];

const BOARD: readonly Box[] = [0, 1, 2].flatMap((column): Box[] => [
  [40 + column * 190, 70, 176, 300, PAPER],
  [56 + column * 190, 86, 90, 12, INK],
  ...[0, 1, 2].flatMap((card): Box[] => [
    [52 + column * 190, 114 + card * 80, 152, 68, [236, 239, 245]],
    ...lines(62 + column * 190, 126 + card * 80, [120 - card * 14, 90]),
    [62 + column * 190, 162 + card * 80, 34, 10, [ACCENT, SUN, GOOD][(card + column) % 3] ?? ACCENT],
  ]),
]);

const CHART: readonly Box[] = [
  [40, 70, 560, 300, PAPER],
  [60, 90, 140, 14, INK],
  ...Array.from({ length: 16 }, (_, index): Box => {
    const height = 40 + ((index * 53) % 150);
    return [64 + index * 33, 340 - height, 22, height, index === 11 ? BAD : ACCENT];
  }),
  [60, 344, 520, 2, SOFT],
];

const SETTINGS: readonly Box[] = [
  [40, 70, 150, 300, PAPER],
  ...lines(58, 94, [100, 80, 110, 70, 96], INK),
  [210, 70, 390, 300, PAPER],
  [230, 92, 160, 14, INK],
  ...lines(230, 124, [320, 280]),
  [230, 178, 340, 1, SOFT],
  [230, 200, 44, 22, ACCENT],
  [290, 206, 160, 8, SOFT],
  [230, 240, 44, 22, SOFT],
  [290, 246, 130, 8, SOFT],
  [470, 326, 110, 30, BAD],
];

const DIFF = `--- a/src/board/card.tsx
+++ b/src/board/card.tsx
@@ -18,9 +18,11 @@ export function Card({ item, onOpen }: CardProps) {
   return (
-    <div className="card" onClick={() => onOpen(item.id)}>
+    <button type="button" className="card" onClick={() => onOpen(item.id)}>
       <h3>{item.title}</h3>
-      <span className="due">{item.due}</span>
-    </div>
+      <time className="due" dateTime={item.due}>
+        {formatDue(item.due)}
+      </time>
+    </button>
   );
 }
`;

/** All pages, the one that was seen last first. */
export const PAGES: readonly DemoPage[] = [
  {
    project: 'harbor-web',
    url: 'http://localhost:5173/boards/launch',
    title: 'Launch board - Harbor',
    framework: 'react',
    hoursAgo: 3,
    notes: [
      {
        text: 'I cannot reach the cards with the keyboard. Tab jumps from the filter straight to the footer.',
        intent: 'fix',
        severity: 'blocking',
        component: ['App', 'BoardScreen', 'Column', 'Card'],
        source: 'src/board/card.tsx:19:5',
        selector: 'main > .column:nth-child(2) > .card:nth-child(1)',
        element: 'div.card',
        place: [242, 114, 152, 68],
        picture: BOARD,
        deeds: [
          { does: 'takes', says: 'I see it: the card is a div with a click handler.' },
          {
            does: 'proposes',
            says: 'The card becomes a button, and its date a time element. May I?',
            diff: DIFF,
          },
        ],
      },
      {
        text: 'Dates should say "in 2 days" here, as they do on the start page.',
        intent: 'change',
        severity: 'important',
        component: ['App', 'BoardScreen', 'Column', 'Card', 'DueDate'],
        source: 'src/board/card.tsx:22:7',
        selector: '.card:nth-child(3) .due',
        element: 'span.due',
        place: [62, 322, 34, 10],
        picture: BOARD,
        deeds: [
          { does: 'takes', says: 'On it, after the keyboard fix.' },
          { does: 'answers', says: 'Thanks. Hours matter too on the day itself: "in 3 hours".' },
        ],
      },
      {
        text: 'The third column is cut off at 1024 px. Can it scroll instead?',
        intent: 'fix',
        severity: 'important',
        component: ['App', 'BoardScreen', 'Columns'],
        source: 'src/board/columns.css:8:1',
        selector: 'main > .column:nth-child(3)',
        element: 'section.column',
        place: [420, 70, 176, 300],
        picture: BOARD,
        deeds: [],
      },
      {
        text: 'Why is this card green while its task is still open?',
        intent: 'question',
        severity: 'suggestion',
        component: ['App', 'BoardScreen', 'Column', 'Card', 'Label'],
        source: 'src/board/label.tsx:11:3',
        selector: '.card:nth-child(2) .label',
        element: 'span.label',
        place: [252, 242, 34, 10],
        deeds: [],
      },
    ],
  },
  {
    project: 'harbor-web',
    url: 'http://localhost:5173/billing/checkout',
    title: 'Checkout - Harbor',
    framework: 'react',
    hoursAgo: 9,
    notes: [
      {
        text: 'This button says "Submit". It should say what happens: "Pay 24 €".',
        intent: 'change',
        severity: 'important',
        component: ['App', 'Checkout', 'PayButton'],
        source: 'src/billing/pay-button.tsx:14:9',
        selector: '#checkout button[type=submit]',
        element: 'button.pay',
        place: [60, 318, 120, 34],
        picture: CHECKOUT,
        deeds: [
          { does: 'takes', says: 'The amount is known here. I will use it.' },
          { does: 'replies', says: 'Done for all currencies, with the format of the reader.' },
          { does: 'resolves', says: 'The button names the amount; a test holds it for three currencies.' },
        ],
      },
      {
        text: 'The postcode field refuses Irish Eircodes such as D02 AF30.',
        intent: 'fix',
        severity: 'blocking',
        component: ['App', 'Checkout', 'Address', 'Postcode'],
        source: 'src/billing/address.tsx:52:13',
        selector: '#postcode',
        element: 'input#postcode',
        place: [60, 262, 150, 34],
        picture: CHECKOUT,
        deeds: [],
      },
    ],
  },
  {
    project: 'harbor-insights',
    url: 'http://localhost:5180/reports/weekly',
    title: 'Weekly report - Harbor Insights',
    framework: 'svelte',
    hoursAgo: 26,
    notes: [
      {
        text: 'One bar is red and nothing says why. A word on hover would be enough.',
        intent: 'change',
        severity: 'suggestion',
        component: ['Report', 'WeekChart'],
        source: 'src/lib/WeekChart.svelte:31:5',
        selector: 'svg rect:nth-of-type(12)',
        element: 'rect',
        place: [427, 157, 22, 183],
        picture: CHART,
        deeds: [
          { does: 'takes' },
          { does: 'resolves', says: 'It says "Outage on Thursday, 41 minutes", with a link to the event.' },
        ],
      },
      {
        text: 'Could the chart be a pie?',
        intent: 'change',
        severity: 'suggestion',
        component: ['Report', 'WeekChart'],
        source: 'src/lib/WeekChart.svelte:12:1',
        selector: 'figure.week',
        element: 'figure.week',
        place: [40, 70, 560, 300],
        picture: CHART,
        deeds: [
          { does: 'dismisses', says: 'Sixteen slices cannot be told apart; bars stay. The table is below.' },
        ],
      },
    ],
  },
  {
    project: 'harbor-admin',
    url: 'http://localhost:8080/settings/workspace',
    title: 'Workspace settings - Harbor Admin',
    framework: 'vue',
    hoursAgo: 50,
    notes: [
      {
        text: '"Delete workspace" sits right beside "Save" and asks nothing. I nearly lost ours.',
        intent: 'fix',
        severity: 'blocking',
        component: ['Settings', 'DangerZone'],
        source: 'src/settings/DangerZone.vue:27:7',
        selector: '.danger button',
        element: 'button.delete',
        place: [470, 326, 110, 30],
        picture: SETTINGS,
        deeds: [
          { does: 'takes', says: 'It moves to a section of its own and asks for the name.' },
          { does: 'answers', says: 'And please a day to undo it.' },
          { does: 'replies', says: 'A day it is; deleted workspaces wait in the list until then.' },
          { does: 'resolves', says: 'It asks for the name, and the workspace can be restored for a day.' },
        ],
      },
    ],
  },
];
