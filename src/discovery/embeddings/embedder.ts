/** Turns texts into vectors whose directions are close if the texts mean the same. */
export interface Embedder {
  /** Names the model. Vectors of different models cannot be compared. */
  readonly model: string;
  readonly dimensions: number;
  embed(texts: readonly string[]): Promise<Float32Array[]>;
  /** Stops the model; pending calls fail. */
  close(): void;
}
