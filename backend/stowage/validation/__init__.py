"""Validation: comparison of published results with the model's predictions.

The code is pure and depends only on the model. The paper is the SoCC 2015 study from which the model's equations come.
The laboratory (`bench/laboratory`) is one machine that runs all nodes of a cluster, each in a network namespace.
"""
