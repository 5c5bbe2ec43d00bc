"""Training of the models that ship: corpora, planting, augmentation, fine-tuning, export. Needs the extra `train`."""
