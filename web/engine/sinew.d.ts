// Types of the interface; those of the fields are in fields.d.ts.
import type { DataFields, ModelFields } from "./fields";
export * from "./fields";
export const constants: Record<string, Record<string, number>>;

export class SinewError extends Error {
  file?: string;
  line?: number;
  column?: number;
}

/** A struct of the engine. */
export class Struct {
  readonly address: number;
  free(): void;
}

export interface Model extends ModelFields {}
export class Model extends Struct {
  data(): Data;
  name(type: number, id: number): string;
  id(type: number, name: string): number;
  save(): Uint8Array;
}

export interface Data extends DataFields {}
export class Data extends Struct {
  readonly model: Model;
  readonly stateSize: number;
  state: Float64Array;
  step(count?: number): void;
  forward(): void;
  reset(key?: number): void;
  hash(): string;
}

type Files = Record<string, string | Uint8Array | ArrayBuffer>;
type Argument = number | string | Struct | ArrayBufferView | null | undefined;

export class Sinew {
  readonly version: string;
  readonly memory: WebAssembly.Memory;
  readonly warnings: string[];
  onwarning: ((text: string) => void) | null;
  model(path: string, files: Files, ask?: Record<string, string>): Model;
  call(name: string, ...values: Argument[]): number;
  struct<T = Record<string, unknown>>(name: string, address?: number): Struct & T;
  text(pointer: number, bytes?: number): string | null;
  view(type: string, pointer: number, count: number): Float64Array | Float32Array | Int32Array | Uint8Array;
  names(list: string): string[];
  hash(numbers: Float64Array, before?: string): string;
}

export function load(source?: URL | string | Response | ArrayBuffer | ArrayBufferView | WebAssembly.Module): Promise<Sinew>;
