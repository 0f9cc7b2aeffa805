/** Owns what a person does in the overlay of a sample app, and what the page sends because of it. */
import type { Page } from '../e2e/playwright.ts';

/** What a note tells about where its element comes from. */
export interface SentNote {
  readonly annotationText: string;
  readonly componentName?: string;
  readonly sourceFile?: string;
  readonly templateFile?: string;
  readonly targets?: readonly { readonly selector: string; readonly sourceFile?: string }[];
}

/** Collects the notes that a page sends over its socket. */
export function collectNotes(page: Page): SentNote[] {
  const notes: SentNote[] = [];
  page.on('websocket', (socket) => {
    socket.on('framesent', ({ payload }) => {
      const message = JSON.parse(String(payload)) as { type: string; payload: SentNote };
      if (message.type === 'annotation:create') notes.push(message.payload);
    });
  });
  return notes;
}

/** Points at an element, writes a note and waits until its pin is there. */
export async function annotate(page: Page, selector: string, text: string): Promise<void> {
  await page.getByRole('button', { name: /^Pick an element/ }).click();
  await page.locator(selector).click();
  await page.getByRole('textbox', { name: 'Your note' }).fill(text);
  await page.getByRole('button', { name: 'Add note' }).click();
  await page.getByRole('button', { name: new RegExp(`pending: ${text}$`) }).waitFor();
}
