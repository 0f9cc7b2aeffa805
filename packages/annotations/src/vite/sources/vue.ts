/** Owns the source attribute of elements in Vue templates, added while the template is compiled. */
import { projectPath, SOURCE_ATTRIBUTE } from './source-place.ts';

interface TemplateNode {
  readonly type: number;
  readonly tagType?: number;
  readonly loc: { readonly start: { readonly line: number; readonly column: number } };
  readonly props?: unknown[];
}

interface TemplateContext {
  readonly filename?: string;
}

type NodeTransform = (node: TemplateNode, context: TemplateContext) => void;

interface VueOptions {
  template?: { compilerOptions?: { nodeTransforms?: NodeTransform[] } };
}

/** A plugin that offers its options to others, as Vue's does. */
export interface OfferingPlugin {
  readonly name: string;
  readonly api?: unknown;
}

// Numbers of Vue's compiler: an element node, a plain element among elements, an attribute, a text.
const ELEMENT = 1;
const PLAIN_ELEMENT = 0;
const ATTRIBUTE = 6;
const TEXT = 2;

/** Tells whether a template's positions are not those of its file, since it is written in another language. */
export function hasForeignTemplate(code: string): boolean {
  return /<template\b[^<>]*\slang\s*=/.test(code);
}

/** Adds the attribute to the options of Vue's plugin, when it is there. */
export function markVueTemplates(
  plugins: readonly OfferingPlugin[],
  root: string,
  isForeign: (file: string) => boolean,
): void {
  const vue = plugins.find(({ name }) => name === 'vite:vue');
  if (!offersOptions(vue?.api)) return;
  const { options } = vue.api;
  const { template } = options;
  const nodeTransforms = [
    ...(template?.compilerOptions?.nodeTransforms ?? []),
    markElements(root, isForeign),
  ];
  vue.api.options = {
    ...options,
    template: { ...template, compilerOptions: { ...template?.compilerOptions, nodeTransforms } },
  };
}

function markElements(root: string, isForeign: (file: string) => boolean): NodeTransform {
  return (node, { filename }) => {
    if (node.type !== ELEMENT || node.tagType !== PLAIN_ELEMENT || node.props === undefined) return;
    if (filename === undefined || node.props.some(isSourceAttribute)) return;
    const { line, column } = node.loc.start;
    const path = projectPath(root, filename);
    const content = isForeign(filename) ? path : `${path}:${line}:${column}`;
    node.props.push({
      type: ATTRIBUTE,
      name: SOURCE_ATTRIBUTE,
      nameLoc: node.loc,
      value: { type: TEXT, content, loc: node.loc },
      loc: node.loc,
    });
  };
}

// A node that moves into a `v-if` or `v-for` is visited twice.
function isSourceAttribute(prop: unknown): boolean {
  return typeof prop === 'object' && prop !== null && 'name' in prop && prop.name === SOURCE_ATTRIBUTE;
}

function offersOptions(api: unknown): api is { options: VueOptions } {
  if (typeof api !== 'object' || api === null || !('options' in api)) return false;
  return typeof api.options === 'object' && api.options !== null;
}
