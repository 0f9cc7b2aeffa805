/** Owns names with values, such as headers and variables: what is stored and secret shows as such and stays when it is left. */
import { Plus, X } from 'lucide-react';
import { Button, IconButton } from '../../ui/button.tsx';
import { Input } from '../../ui/field.tsx';

export interface Pair {
  readonly name: string;
  readonly value: string;
}

/** What stands for a stored value that nobody reads back. */
export const MASK = '[secret]';

export function pairsOf(texts: Readonly<Record<string, string>> | undefined): Pair[] {
  return Object.entries(texts ?? {}).map(([name, value]) => ({ name, value }));
}

/** As they are sent; lines without a name are left out. */
export function textsOf(pairs: readonly Pair[]): Record<string, string> {
  return Object.fromEntries(
    pairs.filter(({ name }) => name.trim() !== '').map(({ name, value }) => [name.trim(), value]),
  );
}

export function Pairs({
  label,
  pairs,
  onChange,
  addText,
  namePlaceholder,
}: {
  readonly label: string;
  readonly pairs: readonly Pair[];
  readonly onChange: (pairs: readonly Pair[]) => void;
  readonly addText: string;
  readonly namePlaceholder: string;
}) {
  const set = (at: number, change: Partial<Pair>) =>
    onChange(pairs.map((pair, index) => (index === at ? { ...pair, ...change } : pair)));
  return (
    <fieldset className="pairs">
      <legend className="field-label">{label}</legend>
      {pairs.map((pair, index) => (
        <div key={index} className="pairs-line">
          <Input
            value={pair.name}
            onText={(name) => set(index, { name })}
            placeholder={namePlaceholder}
            aria-label={`Name ${index + 1}`}
            className="mono"
          />
          <Input
            type={pair.value === MASK ? 'text' : 'password'}
            value={pair.value === MASK ? '' : pair.value}
            placeholder={pair.value === MASK ? 'stored; leave it to keep it' : 'Value'}
            onText={(value) => set(index, { value })}
            aria-label={`Value of ${pair.name === '' ? `line ${index + 1}` : pair.name}`}
          />
          <IconButton
            label={`Remove ${pair.name}`}
            icon={<X />}
            onClick={() => onChange(pairs.filter((_pair, at) => at !== index))}
          />
        </div>
      ))}
      <div>
        <Button size="s" icon={<Plus />} onClick={() => onChange([...pairs, { name: '', value: '' }])}>
          {addText}
        </Button>
      </div>
    </fieldset>
  );
}
