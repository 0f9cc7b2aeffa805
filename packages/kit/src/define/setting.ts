/** A setting: an option of the program that a toolset declares and the program reads for it. */

interface SettingFacts {
  /** Its flag without the dashes; the name of its variable follows from it. */
  readonly flag: string;
  /** What stands for the value in the help, such as `MINUTES`; empty for a switch. */
  readonly value: string;
  readonly help: string;
  /** Behind which options of the program the help lists it: on traffic, on what may be reached, on upkeep. */
  readonly section: 'traffic' | 'reach' | 'upkeep';
}

/** A whole number within bounds; without a fallback it may be absent. */
export interface NumberSetting extends SettingFacts {
  readonly kind: 'number';
  readonly low: number;
  readonly high: number;
  readonly fallback?: string;
}

export type Setting =
  | NumberSetting
  | (SettingFacts & { readonly kind: 'text'; readonly fallback?: string })
  | (SettingFacts & { readonly kind: 'list' })
  | (SettingFacts & { readonly kind: 'switch' });

/** Settings by the name that their toolset reads them under. */
export type Settings = Readonly<Record<string, Setting>>;

type Fallback<Value, One> = One extends { readonly fallback: string } ? Value : Value | undefined;

export type SettingValue<One extends Setting> = One extends { readonly kind: 'number' }
  ? Fallback<number, One>
  : One extends { readonly kind: 'list' }
    ? readonly string[]
    : One extends { readonly kind: 'switch' }
      ? boolean
      : Fallback<string, One>;

/** The values of declared settings. */
export type SettingsOf<Declared extends Settings> = {
  readonly [Name in keyof Declared]: SettingValue<Declared[Name]>;
};
