/** Owns what assistive technology would be told about an element, as far as the page's markup says. */
import { visibleText } from './text.ts';

/** Role, name and states of an element. */
export interface Accessibility {
  role?: string;
  name?: string;
  description?: string;
  states: string[];
  focusable: boolean;
  tabIndex?: number;
}

const ROLES: Record<string, string> = {
  a: 'link', article: 'article', aside: 'complementary', button: 'button', dialog: 'dialog', fieldset: 'group',
  footer: 'contentinfo', form: 'form', h1: 'heading', h2: 'heading', h3: 'heading', h4: 'heading', h5: 'heading',
  h6: 'heading', header: 'banner', img: 'img', li: 'listitem', main: 'main', nav: 'navigation', ol: 'list',
  option: 'option', progress: 'progressbar', section: 'region', select: 'combobox', summary: 'button',
  table: 'table', td: 'cell', textarea: 'textbox', th: 'columnheader', tr: 'row', ul: 'list',
}; // prettier-ignore

const INPUT_ROLES: Record<string, string> = {
  button: 'button', checkbox: 'checkbox', number: 'spinbutton', radio: 'radio', range: 'slider', reset: 'button',
  search: 'searchbox', submit: 'button',
}; // prettier-ignore

const STATES = [
  'disabled', 'checked', 'expanded', 'selected', 'pressed', 'required', 'invalid', 'readonly', 'hidden', 'current',
  'busy', 'modal',
]; // prettier-ignore

const NAMED_BY_TEXT = /^(a|button|h[1-6]|li|option|summary|td|th|label|legend|figcaption)$/;

/** Reads role, name, description and states. */
export function accessibilityOf(element: Element): Accessibility {
  const tabIndex = (element as HTMLElement).tabIndex; // other elements have none, which reads as undefined
  const role = roleOf(element);
  const name = nameOf(element);
  const description = referenced(element, 'aria-describedby') ?? element.getAttribute('title');
  return {
    ...(role !== undefined && { role }),
    ...(name !== '' && { name }),
    ...(description && description !== name && { description: description.slice(0, 500) }),
    states: STATES.filter((state) => isOn(element, state)),
    focusable: tabIndex >= 0 && !(element as HTMLButtonElement).disabled, // only controls have it
    ...(element.hasAttribute('tabindex') && { tabIndex }),
  };
}

function roleOf(element: Element): string | undefined {
  const explicit = element.getAttribute('role');
  if (explicit) return explicit.slice(0, 100);
  if (element.localName === 'input') return INPUT_ROLES[(element as HTMLInputElement).type] ?? 'textbox'; // the tag says so
  if (element.localName === 'a' && !element.hasAttribute('href')) return undefined;
  return ROLES[element.localName];
}

function nameOf(element: Element): string {
  const said = referenced(element, 'aria-labelledby') ?? element.getAttribute('aria-label');
  if (said) return said.slice(0, 500);
  const labels = (element as HTMLInputElement).labels; // only fields have it
  if (labels?.[0]) return visibleText(labels[0], 200);
  const fallback = element.getAttribute('alt') ?? element.getAttribute('title') ?? '';
  if (NAMED_BY_TEXT.test(element.localName)) return visibleText(element, 200) || fallback;
  return fallback || (element.getAttribute('placeholder') ?? '');
}

function referenced(element: Element, attribute: string): string | undefined {
  const ids = element.getAttribute(attribute)?.split(/\s+/) ?? [];
  const texts = ids.map((id) => document.getElementById(id)).filter((found) => found !== null);
  return texts.length === 0 ? undefined : texts.map((found) => visibleText(found, 200)).join(' ');
}

function isOn(element: Element, state: string): boolean {
  const aria = element.getAttribute(`aria-${state}`);
  if (aria !== null) return aria !== 'false';
  const property = { readonly: 'readOnly' }[state] ?? state;
  // Only form controls have these as properties; elsewhere the value is undefined.
  return (element as unknown as Record<string, unknown>)[property] === true;
}
