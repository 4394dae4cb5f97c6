module orma/trace

go 1.19
