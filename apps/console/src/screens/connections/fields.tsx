/** Owns the fields of a connection that adding and changing one share: where it leads, what it starts, what it carries. */
import { Field, Input } from '../../ui/field.tsx';
import { commandWords } from './command-words.ts';
import type { Pair } from './pairs.tsx';
import { Pairs } from './pairs.tsx';

/** What both forms keep under the same names. */
export interface Typed {
  readonly url: string;
  readonly headers: readonly Pair[];
  readonly line: string;
  readonly cwd: string;
  readonly variables: readonly Pair[];
}

interface FieldsProps<Part extends keyof Typed> {
  readonly draft: Pick<Typed, Part>;
  readonly change: (part: Partial<Pick<Typed, Part>>) => void;
}

const ADDRESS_HINT = 'Where its MCP is, such as https://example.com/mcp';
const DOCUMENT_HINT =
  'The address of an OpenAPI 3.0 or 3.1 document, in JSON or YAML; each operation becomes a tool';

/** Where it leads. */
export function AddressField({
  draft,
  change,
  isDocument,
}: FieldsProps<'url'> & { readonly isDocument: boolean }) {
  return (
    <Field
      label={isDocument ? 'Document' : 'Address'}
      isRequired
      hint={isDocument ? DOCUMENT_HINT : ADDRESS_HINT}
    >
      <Input
        value={draft.url}
        onText={(url) => change({ url })}
        inputMode="url"
        className="mono"
        maxLength={2000}
      />
    </Field>
  );
}

/** Headers that go with every call. */
export function HeaderFields({ draft, change }: FieldsProps<'headers'>) {
  return (
    <Pairs
      label="More headers"
      pairs={draft.headers}
      onChange={(headers) => change({ headers })}
      addText="Add a header"
      namePlaceholder="X-Api-Key"
    />
  );
}

/** The program that is started, and how its line is read. */
export function ProgramFields({
  draft,
  change,
  hint,
}: FieldsProps<'line' | 'cwd' | 'variables'> & { readonly hint: string }) {
  const words = commandWords(draft.line);
  return (
    <>
      <Field label="Command" isRequired hint={hint}>
        <Input
          value={draft.line}
          onText={(line) => change({ line })}
          className="mono"
          placeholder="npx -y @modelcontextprotocol/server-filesystem /home/you/Documents"
        />
      </Field>
      {words.length > 1 && (
        <p className="row-wrap small" aria-label="Read as">
          <span className="muted">Read as</span>
          {words.map((word, index) => (
            <code key={index} className="connections-word">
              {word === '' ? '""' : word}
            </code>
          ))}
        </p>
      )}
      <Field label="Folder" hint="In the home folder; by default one of its own">
        <Input value={draft.cwd} onText={(cwd) => change({ cwd })} className="mono" />
      </Field>
      <Pairs
        label="Variables"
        pairs={draft.variables}
        onChange={(variables) => change({ variables })}
        addText="Add a variable"
        namePlaceholder="API_KEY"
      />
    </>
  );
}

/** The header in which everybody's own token goes. */
export interface PersonalToken {
  readonly header: string;
  readonly template: string;
}

/** What such a header is, unless somebody says otherwise. */
export const USUAL_TOKEN: PersonalToken = { header: 'Authorization', template: 'Bearer {token}' };

/** The header of a personal token, and what stands in it. */
export function PersonalTokenFields({
  token,
  onChange,
}: {
  readonly token: PersonalToken;
  readonly onChange: (token: PersonalToken) => void;
}) {
  return (
    <div className="connections-two">
      <Field label="Header of the token">
        <Input className="mono" value={token.header} onText={(header) => onChange({ ...token, header })} />
      </Field>
      <Field label="Its value" hint="{token} stands for the token">
        <Input
          className="mono"
          value={token.template}
          onText={(template) => onChange({ ...token, template })}
        />
      </Field>
    </div>
  );
}

/** Where the requests of an OpenAPI document go. */
export function ServiceField({
  value,
  onChange,
}: {
  readonly value: string;
  readonly onChange: (value: string) => void;
}) {
  return (
    <Field label="Service" hint="Where its requests go, when that is not where the document lies">
      <Input className="mono" inputMode="url" value={value} onText={onChange} />
    </Field>
  );
}
